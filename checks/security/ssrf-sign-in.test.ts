import { describe, expect, it } from 'vitest'
import { useExposedStage } from './exposed-stage.ts'
import { someInsideHosts as insideHosts } from './inside-addresses.ts'

// The settings are read before the canary's port is known, so the URLs of the issuers use the default port.
const issuers = insideHosts.map((host) => `https://${host}`).filter((url) => URL.canParse(url))

const stage = useExposedStage((attacker) => ({
	...settingsOf('INSIDE', issuers),
	...settingsOf(
		'TWISTED',
		insideHosts.map((_host, index) => `${attacker}/issuer/${index}`),
	),
}))

function settingsOf(name: string, addresses: readonly string[]): Record<string, string> {
	const entries = addresses.flatMap((issuer, index) => [
		[`SIGNALBOX_OIDC_${name}${index}_ISSUER`, issuer],
		[`SIGNALBOX_OIDC_${name}${index}_CLIENT_ID`, 'signalbox'],
	])
	return Object.fromEntries(entries) as Record<string, string>
}

async function begin(provider: string): Promise<{ location: URL; cookie: string }> {
	const response = await fetch(`${stage.program.url}/auth/oauth/${provider}/start`, { redirect: 'manual' })
	await response.text()
	const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
	return { location: new URL(response.headers.get('location') ?? '', stage.program.url), cookie }
}

const silent = () =>
	expect({ attempts: stage.attempts(), reached: stage.reached }).toEqual({ attempts: [], reached: 0 })

describe('the metadata of an identity provider', () => {
	it('is not requested from an internal address', async () => {
		expect(issuers.length).toBeGreaterThanOrEqual(300)
		for (const index of issuers.keys()) {
			const { location } = await begin(`inside${index}`)
			expect(location.href).toMatch(/\/ui\/.*error/)
		}
		silent()
	})

	it('is not requested through a redirect to an internal address', async () => {
		let asked = 0
		stage.answer = (_request, response) => {
			const status = [301, 302, 303, 307, 308][asked % 5] as number
			const host = encodeURI(insideHosts[asked % insideHosts.length] as string)
			response.writeHead(status, { location: `http://${host}:${stage.canaryPort}/` }).end()
			asked += 1
		}
		for (const index of insideHosts.keys()) await begin(`twisted${index}`)
		expect(asked).toBe(insideHosts.length)
		silent()
	})

	it('cannot direct the code exchange, the keys or the profile request to an internal address', async () => {
		stage.answer = (request, response) => {
			const path = request.url?.replace('/.well-known/openid-configuration', '') ?? ''
			const host = insideHosts[Number(path.split('/').at(-1))]
			const inside = `http://${host}:${stage.canaryPort}`
			const metadata = {
				issuer: stage.attacker + path,
				authorization_endpoint: 'https://attacker.example/authorize',
				token_endpoint: `${inside}/token`,
				jwks_uri: `${inside}/jwks`,
				userinfo_endpoint: `${inside}/me`,
				response_types_supported: ['code'],
				subject_types_supported: ['public'],
				id_token_signing_alg_values_supported: ['ES256'],
				code_challenge_methods_supported: ['S256'],
			}
			response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
		}
		let exchanged = 0
		for (const index of insideHosts.keys()) {
			const { location, cookie } = await begin(`twisted${index}`)
			if (location.hostname !== 'attacker.example') continue
			exchanged += 1
			const query = new URLSearchParams({ code: 'x', state: location.searchParams.get('state') ?? '' })
			const response = await fetch(`${stage.program.url}/auth/oauth/twisted${index}/callback?${query}`, {
				headers: { cookie },
				redirect: 'manual',
			})
			await response.text()
		}
		expect(exchanged).toBeGreaterThanOrEqual(300)
		silent()
	})
})
