import * as fc from 'fast-check'
import { skill } from '../refusals/skills.ts'
import {
  common,
  fieldsOf,
  FOLDER,
  inTurn,
  list,
  loopIn,
  type Made,
  proofOf,
  secretOf,
  type Shape,
  shapesOf,
  sidecar,
  sometimes,
  title,
} from './made.ts'

/** Phases in `holdfast.yaml`. */
export const phases = list.map((given): Made => {
  const names = given.shapes.map((_, at) => String(at + 1))
  const loop = loopIn(given, names)
  const written = shapesOf(given).map((one, at) => {
    const name = names[at] ?? ''
    const proof = proofOf(one, at)
    return {
      label: name,
      name: title(at),
      ...fieldsOf(one, name, loop),
      ...(proof !== undefined && { proof }),
    }
  })
  return {
    files: { ...skill('flow'), ...sidecar({ ...common(given), phases: written }) },
    mode: given.mode,
    steps: inTurn(given, names),
    loop,
  }
})

const optionalIn = ({ optional, only }: Shape): string =>
  `${optional ? ' (optional)' : ''}${only === undefined ? '' : ` (${only} only)`}`

/** Phases in the headings of `SKILL.md`; contracts in `holdfast.yaml` make them binding. */
export const headings = list.map((given): Made => {
  const names = given.shapes.map((_, at) => String(at + 1))
  const loop = loopIn(given, names)
  const shapes = shapesOf(given)
  const text = shapes.map((one, at) => `## Phase ${names[at]}: ${title(at)}${optionalIn(one)}\n\nDo it.\n`)
  const proofs = shapes.flatMap((one, at) => {
    const proof = proofOf(one, at)
    return proof === undefined ? [] : [[names[at] ?? '', proof] as const]
  })
  // A proof of the last phase makes every plan binding.
  const proof = { [names.at(-1) ?? '']: ['end'], ...Object.fromEntries(proofs) }
  const steps = Object.fromEntries(
    shapes.map((one, at) => {
      const name = names[at] ?? ''
      return [name, fieldsOf({ ...one, optional: false, only: undefined }, name, loop)]
    }),
  )
  const { [`${FOLDER}/SKILL.md`]: head = '', ...others } = skill('flow')
  return {
    files: {
      ...others,
      [`${FOLDER}/SKILL.md`]: `${head}\n${text.join('\n')}`,
      ...sidecar({ ...common(given), proof, steps }),
    },
    mode: given.mode,
    steps: inTurn(given, names),
    loop,
  }
})

/** Phases with sub-phases: numbers follow each other, letters are alternatives. */
export const subPhases = fc
  .record({
    majors: fc.array(fc.record({ proof: fc.boolean(), below: sometimes(fc.constantFrom('1', 'A')) }), {
      minLength: 2,
      maxLength: 4,
    }),
    holds: fc.boolean(),
  })
  .map(({ majors, holds }): Made => {
    const labels = majors.flatMap(({ below }, at) => [
      `${at + 1}`,
      ...(below === undefined
        ? []
        : below === '1'
          ? [`${at + 1}.1`, `${at + 1}.2`]
          : [`${at + 1}.A`, `${at + 1}.B`]),
    ])
    const owes = (label: string) => majors[Number.parseInt(label, 10) - 1]?.proof === true
    return {
      files: {
        ...skill('flow'),
        ...sidecar({
          ...(holds && { hold: 'stop' }),
          phases: labels.map((label, at) => ({
            label,
            name: title(at),
            ...(owes(label) && { proof: [`claim_${at}`] }),
          })),
        }),
      },
      mode: undefined,
      // The next major phase may always be entered.
      steps: labels.map((label) => ({
        name: label,
        after: majors.slice(0, Number.parseInt(label, 10) - 1).map((_, at) => [`${at + 1}`]),
        owes: owes(label),
      })),
      loop: undefined,
    }
  })

/** A runbook; `holdfast.yaml` says what headings cannot. */
export const runbook = list.map((given): Made => {
  const names = given.shapes.map((_, at) => `Step ${at + 1}`)
  const loop = loopIn(given, names)
  const shapes = shapesOf(given)
  const text = shapes.map((one, at) => `## ${names[at]}: ${title(at)}${optionalIn(one)}\n\nDo it.\n`)
  const steps = Object.fromEntries(
    shapes.map((one, at) => {
      const name = names[at] ?? ''
      return [name, fieldsOf({ ...one, optional: false, only: undefined }, name, loop)]
    }),
  )
  return {
    files: {
      ...skill('flow'),
      [`${FOLDER}/runbook.md`]: text.join('\n'),
      ...sidecar({ ...common(given), steps }),
    },
    mode: given.mode,
    steps: inTurn({ ...given, shapes: given.shapes.map((one) => ({ ...one, proof: undefined })) }, names),
    loop,
  }
})

/** A pipeline of prompts, with conditions, files, detours and a step that fails a few times. */
export const pipeline = fc
  .record({
    list,
    verify: fc.array(sometimes(fc.constantFrom('it was seen', 'file')), { minLength: 6, maxLength: 6 }),
    failing: fc.option(fc.nat({ max: 5 })),
    hasDetour: fc.boolean(),
  })
  .map(({ list: given, verify, failing, hasDetour }): Made => {
    const names = given.shapes.map((_, at) => `part-${at + 1}`)
    const shapes = shapesOf(given)
    const failed = failing === null ? undefined : failing % names.length
    const steps = shapes.map((one, at) => {
      const name = names[at] ?? ''
      const condition = verify[at]
      return {
        id: name,
        title: title(at),
        prompt: secretOf(name),
        ...fieldsOf(one, name, undefined),
        ...(condition !== undefined && {
          verify: condition === 'file' ? { file: `out-${at}.md` } : condition,
        }),
        ...(at === failed && hasDetour && { onError: 'undo' }),
      }
    })
    const undo = { id: 'undo', title: 'Undo it', prompt: secretOf('undo') }
    const detour = failed !== undefined && hasDetour ? [undo] : []
    const loop =
      failed === undefined
        ? undefined
        : {
            from: names[failed] ?? '',
            outcome: 'fail',
            to: names[failed] ?? '',
            limit: 2,
            ...(hasDetour && { onLimit: 'undo' }),
            rounds: given.way?.rounds ?? 1,
            length: 1,
          }
    const made = inTurn(
      { ...given, shapes: given.shapes.map((one) => ({ ...one, proof: undefined })) },
      names,
      (at) => verify[at] !== undefined,
    )
    const last = { name: 'undo', after: [names], owes: true }
    return {
      files: { ...skill('flow'), ...sidecar({ ...common(given), pipeline: [...steps, ...detour] }) },
      mode: given.mode,
      steps: detour.length === 0 ? made : [...made, last],
      loop,
    }
  })
