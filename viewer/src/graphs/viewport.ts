// What part of a picture a panel shows. All panels of a view share one: they move together.
import type { Picture } from "./picture";

/** Centre in the layout's units; a zoom of 1 shows all. */
export interface Look {
  cx: number;
  cy: number;
  zoom: number;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const MOST_ZOOM = 40;
const LEAST_ZOOM = 0.4;
const PAD = 22;  // pixels around the picture at a zoom of 1, less in small panels
const ROOM = 46;  // pixels for an edge: small graphs are not blown up beyond 34 / ROOM of that

export function boxOf(picture: Picture, withIsolated: boolean): Box {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  picture.isolated.forEach((isolated, node) => {
    if (!isolated || withIsolated) {
      box.left = Math.min(box.left, picture.x[node]);
      box.right = Math.max(box.right, picture.x[node]);
      box.top = Math.min(box.top, picture.y[node]);
      box.bottom = Math.max(box.bottom, picture.y[node]);
    }
  });
  return box.left <= box.right ? box : { left: 0, right: 1, top: 0, bottom: 1 };
}

export function lookAt(box: Box): Look {
  return { cx: (box.left + box.right) / 2, cy: (box.top + box.bottom) / 2, zoom: 1 };
}

/** From the layout to a panel of a size, in pixels. */
export class Transform {
  readonly scale: number;

  constructor(box: Box, readonly look: Look, readonly width: number, readonly height: number) {
    const pad = Math.min(PAD, 0.07 * width);
    const fit = Math.min((width - 2 * pad) / Math.max(box.right - box.left, 1e-9),
                         (height - 2 * pad) / Math.max(box.bottom - box.top, 1e-9), ROOM / 16);
    this.scale = Math.max(fit, 1e-9) * look.zoom;
  }

  x(value: number): number {
    return this.width / 2 + (value - this.look.cx) * this.scale;
  }

  y(value: number): number {
    return this.height / 2 + (value - this.look.cy) * this.scale;
  }

  fromX(pixel: number): number {
    return this.look.cx + (pixel - this.width / 2) / this.scale;
  }

  fromY(pixel: number): number {
    return this.look.cy + (pixel - this.height / 2) / this.scale;
  }

  /** The look after zooming by a factor with the point under (px, py) staying there. */
  zoomed(factor: number, px: number, py: number): Look {
    const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.look.zoom * factor));
    const scale = this.scale * zoom / this.look.zoom;
    return { zoom, cx: this.fromX(px) - (px - this.width / 2) / scale,
             cy: this.fromY(py) - (py - this.height / 2) / scale };
  }

  /** The look after the picture was dragged by so many pixels. */
  moved(dx: number, dy: number): Look {
    return { ...this.look, cx: this.look.cx - dx / this.scale, cy: this.look.cy - dy / this.scale };
  }
}
