import { saidIn } from '../../../model/invocation.ts'
import { modesIn } from '../../../model/mode.ts'
import { modesOf } from '../../../model/own-words.ts'
import type { Loader } from './loader.ts'

/** The modes that the words of the event ask for. */
export const moded: Loader<'moded'> = {
  looks: [],
  load: (_, { looked, project, context }) =>
    modesIn(saidIn(looked.event) ?? '', modesOf(context.config(project.root))),
}
