import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenPrefixes } from '@signalbox/contract'
import { describe, expect, it } from 'vitest'
import { loadOrCreateMasterKey, parseMasterKey } from './master-key-file.ts'
import { createKeyring, createSealer, macRootOf } from './seal.ts'
import { hashToken, isToken, newToken } from './token.ts'

describe('sealing', () => {
	const sealer = createSealer(randomBytes(32))
	const context = { workspaceId: 'w', kind: 'connection', origin: 'https://a.example', id: '1' }

	it('opens what it sealed, but only for the same context', () => {
		const sealed = sealer.seal('sk-secret', context)
		expect(sealed).not.toContain('secret')
		expect(sealer.open(sealed, context)).toBe('sk-secret')
		for (const field of ['workspaceId', 'kind', 'origin', 'id'] as const) {
			expect(() => sealer.open(sealed, { ...context, [field]: 'other' })).toThrow()
		}
	})

	it('refuses a changed text and another master key', () => {
		const sealed = Buffer.from(sealer.seal('x', context), 'base64url')
		sealed[sealed.length - 1] = (sealed.at(-1) as number) ^ 1
		expect(() => sealer.open(sealed.toString('base64url'), context)).toThrow()
		expect(() => createSealer(randomBytes(32)).open(sealer.seal('x', context), context)).toThrow(
			/another master key/,
		)
	})

	it('a ring seals with its newest key and opens with all, until the older ones are forgotten', () => {
		const [old, next] = [randomBytes(32), randomBytes(32)]
		const ring = createKeyring([old])
		const before = ring.seal('x', context)
		ring.add(next)
		const after = ring.seal('y', context)
		expect([ring.open(before, context), ring.open(after, context)]).toEqual(['x', 'y'])
		expect([ring.isCurrent(before), ring.isCurrent(after)]).toEqual([false, true])
		expect(createSealer(next).open(after, context)).toBe('y')
		ring.forgetOlder()
		expect(() => ring.open(before, context)).toThrow(/another master key/)
		expect(ring.open(after, context)).toBe('y')
	})

	it('MACs use HKDF over the first master key, and stay the same when the key is replaced', () => {
		const [old, next] = [randomBytes(32), randomBytes(32)]
		const key = Buffer.from(hkdfSync('sha256', old, Buffer.alloc(0), 'signalbox:mac:audit', 32))
		const expected = createHmac('sha256', key).update('text').digest('hex')
		expect(createSealer(old).mac('audit', 'text')).toBe(expected)
		const ring = createKeyring([next])
		expect(ring.mac('audit', 'text')).not.toBe(expected)
		ring.useMacRoot(macRootOf(old))
		expect(ring.mac('audit', 'text')).toBe(expected)
	})

	it('refuses keys that are short or not random', () => {
		expect(() => parseMasterKey('changeme')).toThrow(/32 random bytes/)
		expect(() => parseMasterKey('0'.repeat(64))).toThrow(/not random/)
	})

	it.runIf(existsSync('/dev/full'))('a first start on a full disk leaves no empty key behind', () => {
		const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-key-'))
		symlinkSync('/dev/full', join(dataDir, 'master.key.new'))
		expect(() => loadOrCreateMasterKey(dataDir)).toThrow('ENOSPC')
		expect(existsSync(join(dataDir, 'master.key'))).toBe(false)
		rmSync(join(dataDir, 'master.key.new'))
		expect(loadOrCreateMasterKey(dataDir).created).toBe(true)
		expect(loadOrCreateMasterKey(dataDir).created).toBe(false)
		rmSync(dataDir, { recursive: true })
	})
})

describe('tokens', () => {
	it('carry a checksum that catches any single changed character', () => {
		const token = newToken(tokenPrefixes.key)
		expect(token).toMatch(new RegExp(`^${tokenPrefixes.key}[0-9A-Za-z]{49}$`))
		expect(isToken(token, tokenPrefixes.key)).toBe(true)
		for (let index = 11; index < token.length; index += 1) {
			const changed = token.slice(0, index) + (token[index] === 'a' ? 'b' : 'a') + token.slice(index + 1)
			expect(isToken(changed, tokenPrefixes.key)).toBe(false)
		}
		expect(isToken(token.slice(0, -1), tokenPrefixes.key)).toBe(false)
		expect(isToken(token.replace('sk_', 'it_'), tokenPrefixes.ingestToken)).toBe(false)
		expect(hashToken(token)).toHaveLength(64)
	})
})
