import { isDeepStrictEqual } from 'node:util'
import { Problem } from './errors.ts'

/**
 * Lets a client send back what GET returned: those of `fields` that a body contains must have their current values. Fields in
 * `moving` are times that change by themselves, so an older time is accepted too.
 */
export function refuseChanged(
	body: object,
	current: object,
	fields: readonly string[],
	moving: readonly string[] = [],
): void {
	const now = new Map(Object.entries(current))
	for (const [name, value] of Object.entries(body)) {
		const same = fields.includes(name) ? isDeepStrictEqual(value, now.get(name)) : true
		const older =
			moving.includes(name) &&
			value !== null &&
			Date.parse(String(value)) <= Date.parse(String(now.get(name)))
		if (same || older) continue
		const detail = 'is read-only and differs from its present value'
		throw new Problem('invalid_request', `body/${name}: ${detail}.`, {
			errors: [{ pointer: `/${name}`, code: 'read_only', detail }],
		})
	}
}
