import type { Principal } from '../../platform/http/principal.ts'

/** Reading figures and reading messages are separate rights. */
export function mayReadMessages(principal: Principal): boolean {
	return principal.kind === 'user' || ('scopes' in principal && principal.scopes.has('telemetry:read'))
}
