import type { Definition, LoadedModule, Parsed } from '../model/plan/definition.ts'
import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { checkPlan } from '../model/plan/validate.ts'
import { anchored } from './anchors.ts'
import { bounded, firstOfMany } from './bounded.ts'
import type { Disk } from './disk.ts'
import { fieldFaults, LONGEST_DESCRIPTION } from './field-faults.ts'
import { openFences } from './fences.ts'
import type { Found, SkillSource } from './notations/frontend.ts'
import { type Field, readFrontmatter } from './text/frontmatter.ts'
import { headings } from './notations/headings.ts'
import { frontends } from './notations/index.ts'
import { workflowModule } from './notations/workflow-module.ts'
import { type Block, readBlocks } from './text/markdown.ts'
import { findLeads } from './leads-to.ts'
import { type MachinePart, machinePart, proseFaults } from './notations/phases-json.ts'
import { missingFiles } from './missing-files.ts'
import { missingTexts } from './missing-texts.ts'
import { resultFaults } from './result-faults.ts'
import { sidecarPipeline } from './pipeline.ts'
import { findSkillReferences } from './references.ts'
import { choosePlan } from './series/choose.ts'
import { applySidecar, engineSettings, placeIn, readSidecar, type Sidecar, sidecarPhases } from './sidecar.ts'
import { withinSize } from './step-faults.ts'
import { type SourceText, sourceText } from './text/text.ts'
import { isTrue, namesOf, fieldsOf, textOf, wordsOf } from './text/values.ts'

export interface SkillInput {
  readonly kind: Definition['kind']
  /** The id that clients use. */
  readonly id: string
  readonly folder: string
  /** The path of the main file. */
  readonly file: string
  readonly text: string
  /** The other texts of the folder, by relative path. */
  readonly others: ReadonlyMap<string, string>
  /** How many other texts there are, if there are too many to read. */
  readonly leftOut?: number
  /** The results of its workflow modules; a module that was not run is missing. */
  readonly modules?: ReadonlyMap<string, LoadedModule>
  /** What the user says about a skill of somebody else; it wins over a sidecar. */
  readonly overlay?: { readonly file: string; readonly text: string }
  /** Without it, nothing is said about missing files. */
  readonly disk?: Disk | undefined
}

/** Parses any SKILL.md, command or agent file to data and diagnostics. Never throws. */
export function readSkill(input: SkillInput): Parsed {
  const source = sourceOf(input)
  const { main, frontmatter } = source
  const sidecar = sidecarOf(source, input.overlay)
  const read = foundIn(input.kind, source, sidecar)
  const checked = read?.plan === undefined ? undefined : checkPlan(read.plan)
  const found = read === undefined ? undefined : { ...read, plan: checked?.plan }
  const definition = define(input, source, { found, part: machinePart(source), sidecar })
  const diagnostics = [
    ...source.oversize,
    ...encodingFaults(main, input.disk),
    ...frontmatter.diagnostics,
    ...fieldFaults(input, source),
    ...openFences(source),
    ...(input.disk === undefined ? [] : missingFiles(source, input.folder, input.disk)),
    ...(sidecar?.diagnostics ?? []),
    ...resultFaults(definition, source, sidecar),
    ...(found?.diagnostics ?? []),
    ...(checked?.diagnostics ?? []),
    ...(input.disk === undefined ? [] : missingTexts(found?.plan, input.folder, input.disk)),
    ...(found?.phases === undefined ? [] : proseFaults(found.phases, source)),
    ...otherProcedures(definition, main),
  ]
  return { definition, diagnostics: firstOfMany(diagnostics, input.file) }
}

/** The texts of a skill, split and parsed as far as every notation needs them. */
export function sourceOf(input: SkillInput): SkillSource {
  const { text: kept, others: files, diagnostics: oversize } = bounded(input)
  const main = sourceText(input.file, kept)
  const frontmatter = readFrontmatter(main)
  const blocks = readBlocks(main, frontmatter.bodyLine, frontmatter.bodyEnd)
  const prefix = input.folder === '.' ? '' : `${input.folder}/`
  const others = [...files].map(([path, text]) => [path, sourceText(`${prefix}${path}`, text)] as const)
  const modules = input.modules ?? new Map<string, LoadedModule>()
  return { main, frontmatter, blocks, files: new Map(others), modules, oversize }
}

const OWN_SIDECARS = ['holdfast.yaml', 'holdfast.yml']

function sidecarOf(source: SkillSource, overlay: SkillInput['overlay']): Sidecar | undefined {
  if (overlay !== undefined) return readSidecar(sourceText(overlay.file, overlay.text))
  const own = OWN_SIDECARS.map((name) => source.files.get(name)).find((one) => one !== undefined)
  return own === undefined ? undefined : readSidecar(own)
}

/** A command has only what its text or an overlay says; an agent file is a prompt, and no plan. */
function foundIn(kind: Definition['kind'], source: SkillSource, sidecar: Sidecar | undefined) {
  if (kind === 'skill' || sidecar !== undefined) return planOf(source, sidecar)
  return kind === 'command' ? withinSize(headings.read(source)) : undefined
}

function planOf(source: SkillSource, sidecar: Sidecar | undefined): Found | undefined {
  const declared = sidecar === undefined ? undefined : (sidecarPhases(sidecar) ?? sidecarPipeline(sidecar))
  const found = withinSize(trustedIn(source, sidecar, declared) ?? declared ?? firstOf(source))
  return sidecar === undefined ? found : anchored(applySidecar(found, sidecar), sidecar, source)
}

const KEEP_ONE = 'Keep one: the phases or the pipeline of holdfast.yaml, or the module.'

/** The plan of a module that ran: anybody may write a sidecar, but only the user trusts code or adopts an overlay. */
function trustedIn(
  source: SkillSource,
  sidecar: Sidecar | undefined,
  declared: Found | undefined,
): Found | undefined {
  const isOwn = OWN_SIDECARS.some((name) => source.files.get(name)?.file === sidecar?.file)
  const found = isOwn && declared !== undefined ? workflowModule.read(source) : undefined
  if (found?.plan === undefined || sidecar === undefined) return undefined
  const place = placeIn(sidecar, 'phases', 'pipeline')
  const message = 'The plan in holdfast.yaml is ignored because the module is trusted.'
  return { ...found, diagnostics: [...found.diagnostics, diagnose('HF210', place, message, KEEP_ONE)] }
}

function firstOf(source: SkillSource): Found | undefined {
  for (const frontend of frontends) {
    const found = frontend.read(source)
    if (found !== undefined) return found
  }
  return undefined
}

interface Sources {
  readonly found: Found | undefined
  readonly part: MachinePart | undefined
  readonly sidecar: Sidecar | undefined
}

function define(
  input: SkillInput,
  source: SkillSource,
  { found, part: machine, sidecar }: Sources,
): Definition {
  const { fields } = source.frontmatter
  const part = machine?.value ?? {}
  const plan = found?.plan
  const steps = plan?.steps ?? []
  const title = source.blocks.find((block) => block.kind === 'paragraph')
  const hint = fields.get('argument-hint')
  const required = namesOf(fields.get('required-todos')?.value ?? sidecar?.values['required_todos'])
  return {
    kind: input.kind,
    id: input.id,
    name: textOf(fields.get('name')) ?? input.id.split(/[:/]/).at(-1) ?? input.id,
    description:
      textOf(fields.get('description')) ??
      (title?.kind === 'paragraph' ? title.text.slice(0, LONGEST_DESCRIPTION) : ''),
    folder: input.folder,
    file: input.file,
    fields: Object.fromEntries(
      [...fields].map(([key, { value, source: written, place }]) => [
        key,
        { value, source: written, line: place.line },
      ]),
    ),
    allowedTools: wordsOf(
      (fields.get('allowed-tools') ?? fields.get('tools') ?? fields.get('allowedtools'))?.value,
    ),
    // Keeps the source text, because YAML would read `[file]` as a list.
    argumentHint: typeof hint?.value === 'string' ? hint.value : hint?.source,
    userInvocable: isInvocable(fields),
    phases: phasesOf(found),
    modes: fieldsOf(part['modes']),
    templates: Object.fromEntries(Object.entries(part).filter(([key]) => key.endsWith('Template'))),
    nextSkills: namesOf(part['nextSkills']),
    directives: namesOf(
      fields.get('directives')?.value ?? sidecar?.values['directives'] ?? part['directives'],
    ),
    commands: [
      ...new Set(
        (found?.phases ?? []).flatMap((phase) => [...namesOf(phase['steps']), ...namesOf(phase['commands'])]),
      ),
    ],
    requiredTodos:
      required.length > 0
        ? required
        : steps
            .filter((step) => !step.optional && plan?.notation === 'phases')
            .map(({ title: name }) => name),
    quick: quickSections(source),
    plan,
    procedures: input.kind === 'agent' || plan !== undefined ? [] : equalSeries(source.blocks),
    checks: checkBoxes(source.blocks),
    engine: engineOf(part, fields, sidecar),
    leadsTo: findLeads(source, machine, sidecar),
    references: findSkillReferences(source),
  }
}

/** Engine settings: the sidecar wins over the frontmatter, and that over the machine part. */
const engineOf = (
  part: Readonly<Record<string, unknown>>,
  fields: SkillSource['frontmatter']['fields'],
  sidecar: Sidecar | undefined,
): Definition['engine'] => ({
  ...(typeof part['taskType'] === 'string' && { task_type: part['taskType'] }),
  ...engineFields(fields),
  ...(sidecar === undefined ? {} : engineSettings(sidecar)),
})

/** Declared phases with all of their fields, or else the phases of the headings. */
function phasesOf(found: Found | undefined): Definition['phases'] {
  if (found?.phases !== undefined) return found.phases
  if (found?.plan?.notation !== 'phases') return []
  return found.plan.steps.map(({ label, title, proof }) => ({
    label,
    name: title,
    ...(proof.length > 0 && { proof }),
  }))
}

const checkBoxes = (blocks: readonly Block[]): Definition['checks'] =>
  blocks.flatMap((block) => {
    const box = block.kind === 'item' ? /^\[([ xX])\]\s+(.*)/.exec(block.text) : null
    return box === null ? [] : [{ text: box[2] ?? '', done: box[1] !== ' ', line: block.line }]
  })

/** Engine settings in the frontmatter. */
const engineFields = (fields: ReadonlyMap<string, Field>): Definition['engine'] =>
  Object.fromEntries(
    ['continuation', 'result', 'uses-skill-run', 'heartbeat', 'stage'].flatMap((key) => {
      const field = fields.get(key)
      return field === undefined ? [] : [[key.replaceAll('-', '_'), field.value]]
    }),
  )

function isInvocable(fields: ReadonlyMap<string, Field>): boolean {
  const field = fields.get('user-invocable') ?? fields.get('invocable')
  return field === undefined || field.value === null || isTrue(field.value)
}

function quickSections({ blocks, main }: SkillSource): readonly Place[] {
  return blocks
    .filter(
      (block) =>
        (block.kind === 'heading' || block.kind === 'paragraph') &&
        /^\**quick(\s+mode)?\**\s*:/i.test(block.text),
    )
    .map(({ line }) => ({ file: main.file, line, column: 1 }))
}

const equalSeries = (blocks: readonly Block[]): Definition['procedures'] =>
  choosePlan(blocks).equals.map(({ entries, line }) => ({
    title: entries[0]?.title ?? '',
    steps: entries.length,
    line,
  }))

function otherProcedures({ procedures }: Definition, main: SourceText): readonly Diagnostic[] {
  const [first, ...others] = procedures.toSorted((a, b) => a.line - b.line)
  return others.map(({ steps, line }) =>
    diagnose(
      'HF204',
      { file: main.file, line, column: 1 },
      `This procedure of ${steps} steps has the same standing as the one at line ${first?.line}, so neither is the plan.`,
    ),
  )
}

/** An author may have written the character that stands for invalid bytes. */
function encodingFaults({ file, text, lines }: SourceText, disk: Disk | undefined): readonly Diagnostic[] {
  if (!text.includes('\uFFFD') || disk?.isUtf8(file) !== false) return []
  const at = lines.findIndex((line) => line.includes('\uFFFD'))
  const place = { file, line: at + 1, column: (lines[at] ?? '').indexOf('\uFFFD') + 1 }
  return [diagnose('HF112', place, 'The file contains bytes that are not UTF-8.')]
}
