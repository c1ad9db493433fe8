// Arrow keys for things that are not form controls.

export type Step = "left" | "right" | "up" | "down" | "first" | "last" | "escape";

const STEPS: Record<string, Step> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
  Escape: "escape",
};

/** True where the keys already mean something: text fields, sliders, lists, radio buttons. */
export function hasOwnKeys(target: EventTarget | null): boolean {
  const element = target as Partial<HTMLElement> & { type?: string } | null;
  const tag = element?.tagName?.toUpperCase();
  if (tag === "SELECT" || tag === "TEXTAREA") {
    return true;
  }
  return tag === "INPUT" && element?.type !== "checkbox" && element?.type !== "button";
}

/** The step a key press asks for, or null: with a modifier it belongs to the browser. */
export function stepOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey" | "shiftKey">): Step | null {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) {
    return null;
  }
  return STEPS[event.key] ?? null;
}

/** Calls `act` for arrow keys pressed inside `element`; where it returns true the page does not scroll. */
export function onSteps(element: Element, act: (step: Step) => boolean): void {
  element.addEventListener("keydown", (event) => {
    const step = stepOf(event as KeyboardEvent);
    if (step !== null && !event.defaultPrevented && !hasOwnKeys(event.target) && act(step)) {
      event.preventDefault();
    }
  });
}

/** The place after a step along a line of `count` places; stays inside. */
export function moveAlong(place: number, step: Step, count: number): number {
  switch (step) {
    case "left": return Math.max(0, place - 1);
    case "right": return Math.min(count - 1, place + 1);
    case "first": return 0;
    case "last": return count - 1;
    default: return place;
  }
}
