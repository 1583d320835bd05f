import type { Program } from '../../../server/src/program/program.testing.ts'

/** The running program, used by its signed-in owner. */
export interface Platform extends Pick<Program, 'url' | 'api'> {
	/** Follows an OAuth consent to the authorization server and back, as the page `/ui/connect` does. */
	connect(serverId: string, body: object): Promise<void>
}

export function openPlatform({ url, token, api }: Pick<Program, 'url' | 'token' | 'api'>): Platform {
	return {
		url,
		api,
		connect: async (serverId, body) => {
			const begun = await fetch(`${url}/v1/mcp/servers/${serverId}/oauth/authorize`, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: JSON.stringify(body),
			})
			if (!begun.ok) throw new Error(`The consent could not be started: ${await begun.text()}`)
			const { url: start } = (await begun.json()) as { url: string }
			const cookie = begun.headers
				.getSetCookie()
				.map((line) => line.split(';')[0])
				.join('; ')
			await followHome(url, start, cookie)
		},
	}
}

/** The suite's authorization servers consent at once. The final redirect is always sent to our own address. */
async function followHome(url: string, start: string, cookie: string): Promise<void> {
	const led = await fetch(start, { redirect: 'manual' })
	const back = led.headers.get('location')
	if (!back) throw new Error(`The authorization server answered ${led.status} without a redirect.`)
	const { pathname, search } = new URL(back)
	const ended = await fetch(`${url}${pathname}${search}`, { redirect: 'manual', headers: { cookie } })
	const location = ended.headers.get('location') ?? ''
	if (!location.includes('connected=true')) throw new Error(`The consent failed: ${location}`)
}
