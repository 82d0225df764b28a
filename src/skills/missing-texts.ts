import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import { OUR_FOLDER } from '../model/our-folder.ts'
import type { Plan, Step } from '../model/plan/plan.ts'
import { textKey, textPlaces, textsIn } from '../model/workflow/texts.ts'
import type { Disk } from './disk.ts'
import { foldersUp, joined } from './missing-files.ts'

/** The conventions and resources that a workflow names and nobody has, each at the first step that names it. */
export function missingTexts(plan: Plan | undefined, folder: string, disk: Disk): readonly Diagnostic[] {
  if (plan?.format === undefined) return []
  const projects = foldersUp(folder, disk.above).map((one) => joined(one, OUR_FOLDER))
  const folders = [folder, ...projects, ...disk.textFolders]
  const told = new Set<string>()
  return stepsIn(plan).flatMap((step) =>
    textsIn(step).flatMap((text) => {
      const key = textKey(text)
      if (told.has(key) || textPlaces(text, folders).some((path) => disk.exists(path))) return []
      told.add(key)
      return [diagnose('HF331', step.place, `Step ${step.label} names the ${key}, which does not exist.`)]
    }),
  )
}

const stepsIn = ({ steps, workflows = {} }: Plan): readonly Step[] => [
  ...steps,
  ...Object.values(workflows).flatMap(stepsIn),
]
