import { itemsOf } from '../../model/runbook/runbook.ts'
import { readRunbook } from './read.ts'

/** The files of a runbook by name. */
export type Files = Readonly<Record<string, string>>

/** Reads one file, or several. */
export function read(files: string | Files, exists?: (path: string) => boolean) {
  const named: Files = typeof files === 'string' ? { 'runbook.md': files } : files
  const paths = Object.entries(named).map(([name, text]) => [`plans/x/${name}`, text] as const)
  return readRunbook({ folder: 'plans/x', name: 'x', files: new Map(paths), exists })
}

/** A runbook as one line for each item, and its problems as code and line. */
export function see(files: string | Files, exists?: (path: string) => boolean) {
  const { runbook, diagnostics } = read(files, exists)
  return {
    type: runbook.type,
    items: itemsOf(runbook).map(({ id, phase, model }) => `${id} | ${phase} | ${model ?? '—'}`),
    told: diagnostics.map(({ code, file, line, column }) => {
      const name = file.slice('plans/x/'.length)
      return `${code} ${name === 'runbook.md' ? '' : `${name}:`}${line}:${column}`
    }),
  }
}

export const HEAD = '---\nmodel: haiku\n---\n'
export const RED = '### RED Phase\n\nWrite it.\n\n'
export const GREEN = '### GREEN Phase\n\nMake it pass.\n\n'
export const STOP = '**Stop Conditions**: none\n\n**Dependencies**: none\n\n'
export const WHOLE = `${RED}${GREEN}${STOP}`
