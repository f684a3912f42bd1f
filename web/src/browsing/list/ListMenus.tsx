/** The menus over the list: how it is sorted, and which columns of dots it has. */

import { fieldName } from "../../api/fields";
import type { ListKind } from "../../state/url";
import { MenuItem, MenuLine, MenuSwitch, MenuTitle } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { FEW, Searchable } from "../../ui/menus/Searchable";
import { chooseSort, formatSort, parseSort, sortFields, sortName } from "./sorting";

interface SortMenuProps {
  sort: string;
  fields: readonly string[];
  kind: ListKind;
  isAcross: boolean;
  onSort: (sort: string) => void;
  onKind: (kind: ListKind) => void;
}

export function SortMenu({ sort, fields, kind, isAcross, onSort, onKind }: SortMenuProps) {
  const current = parseSort(sort);
  const arrow = (descending: boolean): string => (descending ? "↓" : "↑");
  return (
    <Popover
      label="Sort"
      align="end"
      button={{
        children: `${sortName(current.field).replace(/ of .*/, "")} ${arrow(current.descending)}`,
        "aria-label": `Sort: ${sortName(current.field)}, ${current.descending ? "descending" : "ascending"}`,
      }}
    >
      {() => (
        <>
          <MenuTitle>List</MenuTitle>
          <MenuItem chosen={kind === "groups"} onClick={() => onKind("groups")}>
            Groups
          </MenuItem>
          <MenuItem chosen={kind === "samples"} onClick={() => onKind("samples")}>
            All samples
          </MenuItem>
          <MenuLine />
          <MenuTitle>Sort by</MenuTitle>
          <Searchable items={sortFields(fields, kind, isAcross)} nameOf={sortName} label="Search what to sort by">
            {(found) =>
              found.map((field) => (
                <MenuItem
                  key={field}
                  chosen={field === current.field}
                  hint={field === current.field ? arrow(current.descending) : undefined}
                  onClick={() => onSort(formatSort(chooseSort(current, field)))}
                >
                  {sortName(field)}
                </MenuItem>
              ))
            }
          </Searchable>
          <MenuLine />
          <MenuItem chosen={!current.descending} onClick={() => onSort(formatSort({ ...current, descending: false }))}>
            Ascending
          </MenuItem>
          <MenuItem chosen={current.descending} onClick={() => onSort(formatSort({ ...current, descending: true }))}>
            Descending
          </MenuItem>
        </>
      )}
    </Popover>
  );
}

interface ColumnsMenuProps {
  fields: readonly string[];
  chosen: readonly string[];
  onChoose: (columns: string[]) => void;
}

export function ColumnsMenu({ fields, chosen, onChoose }: ColumnsMenuProps) {
  return (
    <Popover
      label="Columns of dots"
      align="end"
      button={{ quiet: true, icon: "columns", "aria-label": "Choose columns" }}
    >
      {() => (
        <>
          <MenuTitle>One dot per sample for</MenuTitle>
          <Searchable items={chosenFirst(fields, chosen)} nameOf={fieldName} label="Search columns">
            {(found) =>
              found.map((field) => (
                <MenuSwitch
                  key={field}
                  checked={chosen.includes(field)}
                  onChange={(on) => onChoose(on ? [...chosen, field] : chosen.filter((other) => other !== field))}
                >
                  {fieldName(field)}
                </MenuSwitch>
              ))
            }
          </Searchable>
        </>
      )}
    </Popover>
  );
}

/** In a long list those that are on stand first, where they can be seen and turned off. */
function chosenFirst(fields: readonly string[], chosen: readonly string[]): readonly string[] {
  if (fields.length <= FEW) return fields;
  return [...fields.filter((field) => chosen.includes(field)), ...fields.filter((field) => !chosen.includes(field))];
}
