import assert from "node:assert/strict";
import { test } from "node:test";

import { inColumn, inLayers, layersOf } from "../../public/app/model/layout.js";

const PLACES = [
  { name: "layers", place: (nodes, edges) => inLayers(nodes, edges, { gapX: 64, gapY: 22 }) },
  { name: "a column", place: (nodes, edges) => inColumn(nodes, edges, { gapY: 34, lane: 14, most: 4 }) },
];

test("a node lies after all that it needs, and a file directly before its first use", () => {
  const nodes = [{ key: "a" }, { key: "b" }, { key: "c" }, { key: "f", file: "/examples/a.jpg" }];
  const edges = [["a", "b"], ["b", "c"], ["f", "c"]].map(([from, to]) => ({ from, to }));
  assert.deepEqual(Object.fromEntries(layersOf(nodes, edges)), { a: 0, b: 1, c: 2, f: 1 });
});

for (const { name, place } of PLACES) {
  test(`cards of random plans in ${name} are apart, and lines have numbers`, () => {
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    for (let trial = 0; trial < 100; trial++) {
      const nodes = Array.from({ length: 1 + random(14) }, (_, n) => ({ key: `task ${n}`, width: 200, height: 60 + random(200), port: 24 }));
      const edges = [];
      nodes.forEach((node, n) => {
        for (let at = 0; at < n; at++) if (random(5) === 0) edges.push({ from: nodes[at].key, to: node.key, kinds: ["text"] });
      });
      const { at, lines, width, height } = place(nodes, edges);
      const boxes = nodes.map((node) => ({ ...at.get(node.key), tall: node.height }));
      boxes.forEach((one, n) => {
        assert.ok(one.x >= 0 && one.y >= 0 && one.x + 200 <= width + 1 && one.y + one.tall <= height + 1, `${trial}: outside`);
        for (const other of boxes.slice(n + 1)) {
          const apart = one.x + 200 <= other.x || other.x + 200 <= one.x || one.y + one.tall <= other.y || other.y + other.tall <= one.y;
          assert.ok(apart, `${trial}: overlap`);
        }
      });
      for (const edge of edges) {
        const [from, to] = [at.get(edge.from), at.get(edge.to)];
        assert.ok(name === "layers" ? to.x >= from.x + 200 : to.y > from.y, `${trial}: backwards`);
        assert.ok(lines.get(edge).every(({ x, y }) => Number.isFinite(x + y)), `${trial}: line`);
      }
    }
  });
}
