import { EngineError } from '../../model/error.ts'
import type { Check, Finding, Group } from './check.ts'
import { groups } from './groups/index.ts'
import type { Scene } from './scene.ts'

/** Runs all checks; a group without problems adds one `ok` finding. */
export async function examine(scene: Scene): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const group of groups) findings.push(...(await examineGroup(group, scene)))
  return findings
}

async function examineGroup(group: Group, scene: Scene): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const check of group.checks) findings.push(...(await look(group, check, scene)))
  if (findings.length > 0) return findings
  const detail = await group.well(scene)
  return detail === undefined
    ? []
    : [{ check: group.name, code: null, level: 'ok', ok: true, detail, fix: null }]
}

async function look({ name }: Group, check: Check, scene: Scene): Promise<readonly Finding[]> {
  const about = { check: name, code: check.code, level: check.severity, ok: check.severity !== 'broken' }
  try {
    return (await check.look(scene)).map((problem) => ({ ...about, ...problem }))
  } catch (error) {
    const fix = error instanceof EngineError ? (error.hint ?? null) : null
    const detail = `The check failed: ${error instanceof Error ? error.message : String(error)}`
    return [{ ...about, level: 'broken', ok: false, detail, fix }]
  }
}
