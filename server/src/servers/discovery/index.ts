export {
	type Discovery,
	discoverConditional,
	discoverServer,
	type Look,
	type Patience,
	probeRevision,
	type Target,
} from './discover-server.ts'
export {
	type Ability,
	abilitiesIn,
	capabilitiesWith,
	type Introduction,
	uiExtension,
} from './introduction.ts'
export { UpstreamFailure } from './upstream-failure.ts'
