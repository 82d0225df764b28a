/**
 * Tables and columns that no query uses yet, with the feature that will. A test compares this list with the queries.
 */
export const AWAITED: Readonly<Record<string, string>> = {
  'efforts.discovered_directories': 'seed 004: folders that an effort has visited',
  'workers.pane': 'fleet: workers in tmux',
  'workers.attempts': 'fleet: workers in tmux',
}
