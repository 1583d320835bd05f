export {
	type Discovery,
	type DiscoveryOptions,
	discoverConditional,
	discoverServer,
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
