import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { createAccessTokens } from './access-tokens.ts'
import type { SigningKey } from './signing-keys.ts'

function newKey(id: string): SigningKey {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
	return {
		id,
		privateKey: createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }),
		publicJwk: publicKey.export({ format: 'jwk' }) as never,
		publicKey,
		createdAtMs: 0,
	}
}

describe('an access token', () => {
	const clock = manualClock()
	const key = newKey('one')
	let ended = false
	const keys = {
		signer: () => key,
		publicKey: (id: string) => (id === 'one' && !ended ? key.publicKey : undefined),
	}
	const tokens = createAccessTokens(keys, 'https://signalbox.example', clock)
	const claims = { userId: 'u', sessionId: 's', workspaceId: 'w' }
	const expS = clock.nowMs() / 1000 + 60
	const right = {
		header: { alg: 'ES256', typ: 'at+jwt', kid: 'one' },
		iss: 'https://signalbox.example',
		aud: 'signalbox-api',
		exp: expS,
		key,
	}
	const sign = (change: Partial<typeof right>) => {
		const { header, iss, aud, exp, key: signer } = { ...right, ...change }
		return new SignJWT({ sub: 'u', sid: 's', workspace: 'w', iss, aud, exp })
			.setProtectedHeader(header)
			.sign(signer.privateKey)
	}

	it('is accepted if another library created it with our key and claims', async () => {
		expect(tokens.verify(await sign({}))).toMatchObject(claims)
		expect(tokens.verify(tokens.issue(claims).token)).toMatchObject(claims)
	})

	it('is refused for another type, audience, issuer or key, although its signature is valid', async () => {
		const wrong: Partial<typeof right>[] = [
			{ header: { ...right.header, typ: 'JWT' } },
			{ header: { ...right.header, kid: 'two' } },
			{ aud: 'https://signalbox.example/mcp' },
			{ iss: 'https://other.example' },
			{ key: newKey('one') },
			{ exp: clock.nowMs() / 1000 },
		]
		for (const change of wrong) expect(tokens.verify(await sign(change))).toBe(null)
	})

	it('is refused when its key has expired, also if it was cached', () => {
		const { token } = tokens.issue(claims)
		expect(tokens.verify(token)).toMatchObject(claims)
		ended = true
		expect(tokens.verify(token)).toBe(null)
		ended = false
		expect(tokens.verify(token)).toMatchObject(claims)
	})

	it('is refused from the second in which it expires, also if it was cached', () => {
		const { token, expiresAtMs } = tokens.issue(claims)
		clock.advance(expiresAtMs - clock.nowMs() - 1)
		expect(tokens.verify(token)).toMatchObject(claims)
		clock.advance(1)
		expect(tokens.verify(token)).toBe(null)
	})
})
