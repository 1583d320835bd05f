import { rolesGivenBy } from '@signalbox/contract/access'
import { expect, test } from 'vitest'

test.each([
	['viewer', []],
	['auditor', []],
	['member', []],
	['admin', ['viewer', 'auditor', 'member', 'admin']],
	['owner', ['viewer', 'auditor', 'member', 'admin', 'owner']],
] as const)('%s gives the roles %s', (role, given) => {
	expect(rolesGivenBy(role)).toEqual(given)
})
