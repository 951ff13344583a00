import { describe, expect, it } from 'vitest';
import { categoryTree, movedPaths } from './tree.ts';

const row = (id: string, parentId: string | null, position = 0) => ({ id, parentId, position });

describe('categoryTree', () => {
  it('nests by parent, ordered by position, then id', () => {
    const tree = categoryTree([row('b', null), row('a2', 'a', 1), row('a', null), row('a1', 'a', 2)], ({ id }) => ({ id }));
    expect(tree).toEqual([
      {
        id: 'a',
        children: [
          { id: 'a2', children: [] },
          { id: 'a1', children: [] },
        ],
      },
      { id: 'b', children: [] },
    ]);
  });
  it('omits descendants of a missing row', () => {
    expect(categoryTree([row('x', 'hidden'), row('y', 'x'), row('z', null)], ({ id }) => ({ id }))).toEqual([
      { id: 'z', children: [] },
    ]);
  });
});

describe('movedPaths', () => {
  it('moves a category with its descendants', () => {
    const moved = movedPaths('b', ['a', 'b'], ['x', 'y'], [{ id: 'c', path: ['a', 'b', 'c'] }]);
    expect(moved).toEqual({
      paths: new Map([
        ['b', ['x', 'y', 'b']],
        ['c', ['x', 'y', 'b', 'c']],
      ]),
    });
    expect(movedPaths('b', ['a', 'b'], [], [])).toEqual({ paths: new Map([['b', ['b']]]) });
  });
  it('rejects moving a category below itself', () => {
    expect(movedPaths('a', ['a'], ['a', 'b'], [{ id: 'b', path: ['a', 'b'] }])).toEqual({ fault: 'cycle' });
    expect(movedPaths('a', ['a'], ['a'], [])).toEqual({ fault: 'cycle' });
  });
  it('limits the depth of descendants to eight levels', () => {
    const seven = ['1', '2', '3', '4', '5', '6', '7'];
    expect(movedPaths('x', ['x'], seven, [])).toHaveProperty('paths');
    expect(movedPaths('x', ['x'], [...seven, '8'], [])).toEqual({ fault: 'too_deep' });
    expect(movedPaths('x', ['x'], seven, [{ id: 'y', path: ['x', 'y'] }])).toEqual({ fault: 'too_deep' });
  });
});
