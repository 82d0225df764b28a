import { readFileSync } from 'node:fs'

/** A process as Linux shows it. */
interface Process {
  readonly parent: number
  /** Its start, in ticks of the system since it booted. */
  readonly ticks: number
  /** Its number and its start, because numbers are used again. */
  readonly id: string
  /** Ended, and its parent has not looked yet. */
  readonly isZombie: boolean
}

/** Undefined if there is no such process, or the system does not show it. */
export function findProcess(pid: number): Process | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  if (stat === '') return undefined
  // The name of the program stands in parentheses, and may hold any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, ticks] = [fields[0], Number(fields[1]), Number(fields[19])]
  return { parent, ticks, id: `${pid}:${ticks}`, isZombie: state === 'Z' }
}

/** Whether a process, such as `4711:123456`, still runs. */
export function isRunning(id: string): boolean {
  const found = findProcess(Number.parseInt(id, 10))
  return found?.id === id && !found.isZombie
}

/** Empty for a file that cannot be read. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
