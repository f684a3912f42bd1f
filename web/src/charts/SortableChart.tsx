import { KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { sortableKeyboardCoordinates, useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { Icon } from "../ui/Icon";
import { Chart, type ChartProps } from "./Chart";
import styles from "./SortableChart.module.css";

/** Pointer and keyboard, for every list of charts. A few pixels of travel tell a drag from a click. */
export function useChartSensors() {
  return useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
}

/** A chart that can be moved by its handle, which appears on hover and takes the keyboard's focus. */
export function SortableChart(props: Omit<ChartProps, "handle">) {
  const { spec } = props;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: spec.id,
  });
  return (
    <div
      ref={setNodeRef}
      className={styles.item}
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <Chart
        {...props}
        handle={
          <button
            type="button"
            ref={setActivatorNodeRef}
            className={styles.handle}
            {...attributes}
            {...listeners}
            aria-label={`Move ${spec.name}`}
            title="Drag to reorder; or space and the arrow keys"
          >
            <Icon name="grip" />
          </button>
        }
      />
    </div>
  );
}
