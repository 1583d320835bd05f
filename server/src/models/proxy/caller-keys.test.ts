import { tokenPrefixes } from '@signalbox/contract/constants'
import { expect, test } from 'vitest'
import { ownKeysOf, searchToSend } from './caller-keys.ts'

const known = { 'x-service-api-key': `${tokenPrefixes.key}a` }

test.each(Object.values(tokenPrefixes))('a credential of Signalbox is no provider key: %s', (prefix) => {
	const ours = `${prefix}${'a1B2'.repeat(12)}`
	const fields = {
		authorization: `Bearer ${ours}`,
		'x-api-key': ours,
		'x-goog-api-key': ours,
		'api-key': ours,
	}
	expect(Object.values(ownKeysOf({ ...known, ...fields }, `key=${ours}`))).toEqual(Array(5).fill(null))
	expect(searchToSend(`key=${ours}`, false)).not.toContain(ours)
})

test('what the caller sends beside its Signalbox key is its own provider key', () => {
	expect(ownKeysOf({ ...known, 'x-api-key': 'sk-theirs' }, 'key=theirs')).toMatchObject({
		...{ bearer: null, apiKey: 'sk-theirs', queryKey: 'theirs' },
	})
	expect(ownKeysOf({ 'x-api-key': 'sk-theirs' }, '').apiKey).toBeNull()
})
