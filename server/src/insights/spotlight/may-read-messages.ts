import type { Principal } from '../../platform/http/index.ts'

/** Figures are one right, what people and models said is another. */
export function mayReadMessages(principal: Principal): boolean {
	return principal.kind === 'user' || ('scopes' in principal && principal.scopes.has('telemetry:read'))
}
