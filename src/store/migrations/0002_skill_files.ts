import type { Tx } from '../query.ts'

/** Stores the files of a skill, their content and their diagnostics. */
export async function up(tx: Tx): Promise<void> {
  const columns = [
    'kind',
    'scope',
    'file',
    'folder',
    'digest',
    'description',
    'plan',
    'details',
    'diagnostics',
  ]
  for (const column of columns)
    await tx.execute({ sql: `alter table skills add column ${column} text`, parameters: [] })
  await tx.execute({ sql: 'create index idx_skills_folder on skills(project_id, folder)', parameters: [] })
}
