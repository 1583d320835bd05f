import { tokenPrefixes } from '@signalbox/contract'
import { expect, it } from 'vitest'
import { newToken } from './crypto/token.ts'
import { Repeats } from './log.ts'
import { redactText } from './redaction/redact.ts'

it('removes all our credentials, and the common ones of providers, from a text', () => {
	const prefixes = [
		tokenPrefixes.key,
		tokenPrefixes.ingestToken,
		tokenPrefixes.session,
		tokenPrefixes.setup,
	] as const
	const secrets = [...prefixes.map(newToken), 'sk-proj-abcdefgh', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln']
	for (const secret of secrets) {
		const text = redactText(`cannot use ${secret}, sent to /setup#${secret} and /x?key=${secret}&a=1`)
		expect(text).not.toContain(secret.slice(12))
		expect(text).toMatch(/^cannot use .*, sent to \/setup#.* and \/x\?key=\[redacted\]&a=1$/)
	}
	expect(redactText('Bearer abc and a sentence')).toBe('[redacted] and a sentence')
})

it('of a repeated event, takes the first at once, and then one a minute that stands for all since', () => {
	let nowMs = 0
	const repeats = new Repeats(() => nowMs)
	const at = (ms: number, key = 'full') => {
		nowMs = ms
		return repeats.take(key)
	}
	expect([at(5), at(6), at(7, 'other'), at(59_000)]).toEqual([1, 0, 1, 0])
	expect([at(60_005), at(60_006), at(500_000)]).toEqual([3, 0, 2])
})
