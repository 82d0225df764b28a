import about from '../../package.json' with { type: 'json' }

export const VERSION: string = about.version

/** The oldest Node that this runs on, such as 24.12. */
export const OLDEST_NODE: string = about.engines.node.replace(/^\D+/, '')
