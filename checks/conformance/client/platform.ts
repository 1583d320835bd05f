import type { Program } from '../../../server/src/program/program.testing.ts'

/** The running program, as its signed-in owner uses it. */
export interface Platform extends Pick<Program, 'url' | 'api'> {
	/** Leads a person's browser to an authorization server and back to us, as the page `/ui/connect` does. */
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
			if (!begun.ok) throw new Error(`No consent could begin: ${await begun.text()}`)
			const { url: start } = (await begun.json()) as { url: string }
			const cookie = begun.headers
				.getSetCookie()
				.map((line) => line.split(';')[0])
				.join('; ')
			await followHome(url, start, cookie)
		},
	}
}

/** The authorization servers of the suite agree at once; the last hop is ours, wherever it is said to be. */
async function followHome(url: string, start: string, cookie: string): Promise<void> {
	const led = await fetch(start, { redirect: 'manual' })
	const back = led.headers.get('location')
	if (!back) throw new Error(`The authorization server answered ${led.status}.`)
	const { pathname, search } = new URL(back)
	const ended = await fetch(`${url}${pathname}${search}`, { redirect: 'manual', headers: { cookie } })
	const location = ended.headers.get('location') ?? ''
	if (!location.includes('connected=true')) throw new Error(`The consent failed: ${location}`)
}
