import { expect, test } from 'vitest'
import { rolesGivenBy } from './queries.ts'

test.each([
	['viewer', []],
	['member', []],
	['admin', ['viewer', 'member', 'admin']],
	['owner', ['viewer', 'member', 'admin', 'owner']],
] as const)('%s gives the roles %s', (role, given) => {
	expect(rolesGivenBy(role)).toEqual(given)
})
