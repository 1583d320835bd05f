export { type Ability, abilitiesIn, capabilitiesWith, uiExtension } from './abilities.ts'
export { discoverConditional, type Look } from './discover-conditional.ts'
export {
	type Discovery,
	discoverServer,
	type Patience,
	probeRevision,
	type Target,
} from './discover-server.ts'
export type { Introduction } from './introduction.ts'
export { UpstreamFailure } from './upstream-failure.ts'
