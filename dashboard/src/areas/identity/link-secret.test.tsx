import { afterEach, expect, test } from 'vitest'
import { takeInvitationToken } from './invitation-token.ts'
import { takeLinkSecret } from './link-secret.ts'

afterEach(() => sessionStorage.clear())

test.each([
	['#token=iv_1', 'iv_1'],
	['#setup_1', 'setup_1'],
	['', ''],
])('the secret of %j is %j, and is removed from the address bar', (hash, secret) => {
	history.replaceState(null, '', `/ui/reset${hash}`)
	expect(takeLinkSecret()).toBe(secret)
	expect(location.hash).toBe('')
})

test('an invitation is still known after signing in', () => {
	history.replaceState(null, '', '/ui/invitation#token=iv_1')
	expect(takeInvitationToken()).toBe('iv_1')
	history.replaceState(null, '', '/ui/invitation')
	expect(takeInvitationToken()).toBe('iv_1')
})
