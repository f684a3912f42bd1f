import { useState } from "react";
import { usePageParam } from "../state/view";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { MenuItem, MenuLine, MenuTitle } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Failure, Skeleton } from "../ui/States";
import styles from "./DashboardMenu.module.css";
import { nameProblem, useDashboardActions, useDashboardNames } from "./dashboardStore";
import { type Layout, newSection } from "./layout";

type Task = "new" | "copy" | "rename" | "delete";

const TITLES: Record<Task, string> = {
  new: "New dashboard",
  copy: "Copy this dashboard",
  rename: "Rename this dashboard",
  delete: "Delete this dashboard",
};

/** Which dashboard is shown, and the making, copying, renaming and deleting of them. */
export function DashboardMenu() {
  const [current, open] = usePageParam("dashboard");
  const { data: names, error, isLoading, refetch } = useDashboardNames();
  const [task, setTask] = useState<Task | null>(null);
  return (
    <>
      <Popover
        label="Dashboards"
        onOpen={() => void refetch()}
        button={{ children: current === "" ? "All metrics" : current, opens: true, className: styles.current }}
      >
        {(close) => {
          const choose = (name: string) => {
            close();
            open(name);
          };
          const start = (next: Task) => {
            close();
            setTask(next);
          };
          return (
            <div className={styles.menu}>
              <MenuItem chosen={current === ""} onClick={() => choose("")}>
                All metrics
              </MenuItem>
              <MenuTitle>Dashboards</MenuTitle>
              {isLoading && <Skeleton lines={2} />}
              {error && <Failure error={error} onRetry={() => void refetch()} />}
              {names?.length === 0 && <p className={styles.none}>None yet.</p>}
              {names?.map(({ name }) => (
                <MenuItem key={name} chosen={name === current} onClick={() => choose(name)}>
                  {name}
                </MenuItem>
              ))}
              <MenuLine />
              <MenuItem onClick={() => start("new")}>New dashboard…</MenuItem>
              {current !== "" && (
                <>
                  <MenuItem onClick={() => start("copy")}>Copy…</MenuItem>
                  <MenuItem onClick={() => start("rename")}>Rename…</MenuItem>
                  <MenuItem onClick={() => start("delete")}>Delete…</MenuItem>
                </>
              )}
            </div>
          );
        }}
      </Popover>
      {task && (
        <TaskDialog
          task={task}
          current={current}
          taken={names?.map(({ name }) => name) ?? []}
          onOpen={open}
          onClose={() => setTask(null)}
        />
      )}
    </>
  );
}

interface TaskDialogProps {
  readonly task: Task;
  readonly current: string;
  readonly taken: readonly string[];
  readonly onOpen: (name: string) => void;
  readonly onClose: () => void;
}

function TaskDialog({ task, current, taken, onOpen, onClose }: TaskDialogProps) {
  const { create, remove, read } = useDashboardActions();
  const [name, setName] = useState(task === "copy" ? `${current} copy` : task === "rename" ? current : "");
  const [error, setError] = useState<unknown>(null);
  const problem = task === "delete" || name === current ? null : nameProblem(name, taken);

  const perform = async () => {
    const target = name.trim();
    try {
      if (task === "delete") {
        await remove(current);
        onOpen("");
      } else if (!(task === "rename" && target === current)) {
        const layout: Layout = task === "new" ? { sections: [newSection("Charts")] } : await read(current);
        await create(target, layout);
        if (task === "rename") await remove(current);
        onOpen(target);
      }
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };

  return (
    <Dialog title={TITLES[task]} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === null) void perform();
        }}
      >
        {task === "delete" ? (
          <p>“{current}” is deleted on the server, for everyone who opens these runs.</p>
        ) : (
          <label className={styles.name}>
            Name
            <input ref={focusInDialog} value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          </label>
        )}
        <p className={styles.problem} role="alert">
          {name.trim() === "" ? "" : problem}
        </p>
        {error !== null && <Failure error={error} />}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button primary type="submit" disabled={problem !== null}>
            {{ new: "Create", copy: "Copy", rename: "Rename", delete: "Delete" }[task]}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A <dialog> gives its focus to the element with this attribute, which React's `autoFocus` does not set. */
function focusInDialog(field: HTMLElement | null): void {
  field?.setAttribute("autofocus", "");
}
