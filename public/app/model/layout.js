/** Layout of a graph: in layers from left to right, or in a column. Numbers only, no DOM. */

/** Each node's layer: one after its last dependency; a file is directly before its first use. */
export function layersOf(nodes, edges) {
  const before = new Map(nodes.map((node) => [node.key, []]));
  const after = new Map(nodes.map((node) => [node.key, []]));
  for (const { from, to } of edges) {
    before.get(to).push(from);
    after.get(from).push(to);
  }
  const layer = new Map();
  const visit = (key, path) => {
    if (layer.has(key)) return layer.get(key);
    if (path.has(key)) return 0; // a cycle has no layers; a plan has none
    path.add(key);
    const found = Math.max(-1, ...before.get(key).map((other) => visit(other, path))) + 1;
    path.delete(key);
    layer.set(key, found);
    return found;
  };
  for (const node of nodes) visit(node.key, new Set());
  for (const node of nodes) {
    if (node.file && !before.get(node.key).length) {
      layer.set(node.key, Math.max(0, Math.min(...after.get(node.key).map((key) => layer.get(key))) - 1));
    }
  }
  return layer;
}

/**
 * Places nodes in layers, with few crossings and straight lines where possible (Sugiyama's method).
 *
 * `nodes` are {key, width, height, port}: `port` is how far below a node's top its lines meet it. Returns
 * {width, height, at: key -> {x, y}, lines: edge -> [{x, y}, …]}.
 */
export function inLayers(nodes, edges, { gapX, gapY }) {
  const layer = layersOf(nodes, edges);
  const boxes = new Map(nodes.map((node) => [node.key, { ...node, layer: layer.get(node.key), y: 0, next: [], last: [] }]));
  const chains = edges.map((edge) => chain(edge, boxes));
  const layers = [];
  for (const box of boxes.values()) (layers[box.layer] ??= []).push(box);
  const filled = layers.filter(Boolean);
  order(filled);
  align(filled, gapY);

  let x = 0;
  for (const boxesHere of filled) {
    const width = Math.max(...boxesHere.map((box) => box.width));
    for (const box of boxesHere) Object.assign(box, { x, width: box.width || width });
    x += width + gapX;
  }
  const top = Math.min(...[...boxes.values()].map((box) => box.y));
  const at = new Map();
  let height = 0;
  for (const box of boxes.values()) {
    box.y -= top;
    height = Math.max(height, box.y + box.height);
    at.set(box.key, { x: box.x, y: box.y });
  }
  const lines = new Map(edges.map((edge, number) => [edge, points(chains[number])]));
  return { width: x - gapX, height, at, lines };
}

/** The boxes of an edge: where it spans several layers, a dummy box in each reserves space for it. */
function chain(edge, boxes) {
  const [start, end] = [boxes.get(edge.from), boxes.get(edge.to)];
  const passed = [start];
  for (let at = start.layer + 1; at < end.layer; at++) {
    const key = `${edge.from}>${edge.to} ${at}`;
    const box = { key, layer: at, width: 0, height: 12, port: 6, y: 0, next: [], last: [] };
    boxes.set(key, box);
    passed.push(box);
  }
  passed.push(end);
  for (let at = 1; at < passed.length; at++) {
    passed[at - 1].next.push(passed[at]);
    passed[at].last.push(passed[at - 1]);
  }
  return passed;
}

/** Orders each layer by the mean position of its neighbours, forwards and backwards; keeps the best order. */
function order(layers) {
  const number = (boxes) => boxes.forEach((box, at) => (box.place = at));
  layers.forEach(number);
  let best = { crossings: crossings(layers), places: placesOf(layers) };
  for (let sweep = 0; sweep < 12 && best.crossings; sweep++) {
    const forth = sweep % 2 === 0;
    for (const boxes of forth ? layers : layers.toReversed()) {
      const wanted = new Map(
        boxes.map((box) => {
          const near = forth ? box.last : box.next;
          return [box, near.length ? near.reduce((sum, other) => sum + other.place, 0) / near.length : box.place];
        }),
      );
      boxes.sort((a, b) => wanted.get(a) - wanted.get(b) || a.place - b.place);
      number(boxes);
    }
    const found = crossings(layers);
    if (found < best.crossings) best = { crossings: found, places: placesOf(layers) };
  }
  for (const boxes of layers) {
    boxes.sort((a, b) => best.places.get(a) - best.places.get(b));
    number(boxes);
  }
}

function placesOf(layers) {
  return new Map(layers.flat().map((box) => [box, box.place]));
}

/** The number of crossings between neighbouring layers. */
function crossings(layers) {
  let count = 0;
  for (const boxes of layers) {
    const lines = boxes.flatMap((box) => box.next.map((next) => [box.place, next.place]));
    lines.forEach(([from, to], at) => {
      for (const [other, end] of lines.slice(at + 1)) if ((from - other) * (to - end) < 0) count++;
    });
  }
  return count;
}

/** Moves boxes vertically to align their ports with those of their neighbours, where space allows. */
function align(layers, gap) {
  for (const boxes of layers) spread(boxes, boxes.map(() => 0), gap);
  for (let sweep = 0; sweep < 8; sweep++) {
    const forth = sweep % 2 === 0;
    for (const boxes of forth ? layers : layers.toReversed()) {
      const wanted = boxes.map((box) => {
        const first = forth ? box.last : box.next;
        const near = first.length ? first : forth ? box.next : box.last;
        if (!near.length) return box.y;
        return near.reduce((sum, other) => sum + other.y + other.port, 0) / near.length - box.port;
      });
      spread(boxes, wanted, gap);
    }
  }
}

/** Sets y as close to the target as order and gaps allow (isotonic regression by pooling). */
function spread(boxes, wanted, gap) {
  const pools = [];
  let above = 0;
  boxes.forEach((box, at) => {
    pools.push({ sum: wanted[at] - above, count: 1, boxes: [[box, above]] });
    above += box.height + gap;
    while (pools.length > 1 && mean(pools.at(-2)) > mean(pools.at(-1))) {
      const last = pools.pop();
      const pool = pools.at(-1);
      pool.sum += last.sum;
      pool.count += last.count;
      pool.boxes.push(...last.boxes);
    }
  });
  for (const pool of pools) for (const [box, offset] of pool.boxes) box.y = mean(pool) + offset;
}

function mean(pool) {
  return pool.sum / pool.count;
}

function points(passed) {
  const way = [];
  passed.forEach((box, at) => {
    const y = box.y + box.port;
    if (at > 0) way.push({ x: box.x, y });
    if (at < passed.length - 1) way.push({ x: box.x + box.width, y });
  });
  return way;
}

/** The nodes in topological order, each directly after its dependencies where possible. */
function inTurn(nodes, edges) {
  const before = new Map(nodes.map((node) => [node, edges.filter((edge) => edge.to === node.key)]));
  const named = new Map(nodes.map((node) => [node.key, node]));
  const sorted = new Set();
  const visit = (node, path) => {
    if (sorted.has(node) || path.has(node)) return;
    for (const edge of before.get(node)) visit(named.get(edge.from), new Set(path).add(node));
    sorted.add(node);
  };
  for (const node of nodes) visit(node, new Set());
  return [...sorted];
}

/**
 * Places nodes one below the other, for narrow screens; lines that pass a node run in lanes on the left.
 *
 * Takes and returns what `inLayers` does; `lines` of neighbours go straight down, others have four points.
 */
export function inColumn(nodes, edges, { gapY, lane, most }) {
  const sorted = inTurn(nodes, edges);
  const row = new Map(sorted.map((node, at) => [node.key, at]));
  const passing = edges.filter((edge) => row.get(edge.to) !== row.get(edge.from) + 1);
  const ends = []; // by lane, the row from which it is free
  const laneOf = new Map();
  for (const edge of passing.toSorted((a, b) => row.get(a.from) - row.get(b.from))) {
    const free = ends.findIndex((end) => end <= row.get(edge.from));
    const chosen = free < 0 ? ends.length : free;
    ends[chosen] = row.get(edge.to);
    laneOf.set(edge, Math.min(chosen, most - 1));
  }
  const gutter = Math.min(ends.length, most) * lane + (ends.length ? 6 : 0);
  const at = new Map();
  let y = 0;
  for (const node of sorted) {
    at.set(node.key, { x: gutter, y });
    y += node.height + gapY;
  }
  const size = new Map(nodes.map((node) => [node.key, node]));
  const lines = new Map();
  for (const edge of edges) {
    const [start, end] = [at.get(edge.from), at.get(edge.to)];
    const [from, to] = [size.get(edge.from), size.get(edge.to)];
    if (laneOf.has(edge)) {
      const x = gutter - 6 - (laneOf.get(edge) + 0.5) * lane;
      const [leaves, enters] = [start.y + from.port, end.y + to.port];
      lines.set(edge, [{ x: gutter, y: leaves }, { x, y: leaves }, { x, y: enters }, { x: gutter, y: enters }]);
    } else {
      const x = gutter + 34;
      lines.set(edge, [{ x, y: start.y + from.height }, { x, y: end.y }]);
    }
  }
  return { width: gutter + Math.max(...nodes.map((node) => node.width)), height: y - gapY, at, lines };
}
