import list from './methods.json' with { type: 'json' }

/** The part of JSON Schema that our parameters use. */
export interface ParamSchema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly anyOf?: readonly ParamSchema[]
}

export interface MethodEntry {
  readonly name: string
  readonly summary: string
  readonly effect: string
  readonly params: {
    readonly properties: Readonly<Record<string, ParamSchema>>
    readonly required?: readonly string[]
  }
}

/** The methods, generated so that the CLI need not load the engine. */
export const methods = list as unknown as readonly MethodEntry[]

export const findMethod = (name: string): MethodEntry | undefined =>
  methods.find((method) => method.name === name)
