import { expect, test } from 'vitest'
import { withGrant, withoutPair, withRemoval } from './proposal.ts'

const pair = { server_id: 's', agent_uuid: 'a' }
const other = { server_id: 's', agent_uuid: 'b' }

test('a grant has one change, to which fields are added', () => {
	const tools = withGrant([], pair, 'update', { access_mode: 'selected', allowed_tools: ['x'] })
	const both = withGrant(tools, pair, 'update', { expires_at: null })
	expect(both).toEqual([
		{ op: 'update', ...pair, access_mode: 'selected', allowed_tools: ['x'], expires_at: null },
	])
})

test('removing a grant replaces the changes proposed for it, and vice versa', () => {
	const changed = withGrant(withRemoval([], other), pair, 'update', { enabled: false })
	const removed = withRemoval(changed, pair)
	expect(removed).toEqual([
		{ op: 'delete', ...other },
		{ op: 'delete', ...pair },
	])
	expect(withGrant(removed, pair, 'update', { enabled: true })[1]).toEqual({
		op: 'update',
		...pair,
		enabled: true,
	})
	expect(withoutPair(removed, pair)).toEqual([{ op: 'delete', ...other }])
})
