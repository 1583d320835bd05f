import { expect, it } from 'vitest'
import { Problem } from '../../platform/errors.ts'
import { createIngress } from '../../platform/http/ingress.ts'
import { LiveRequests } from '../../platform/http/live-requests.ts'
import { refuseWithProblem } from '../../platform/http/refusals.ts'
import { silentLog } from '../../platform/log.ts'
import { IngressClient } from './ingress-client.ts'

it('gets every request of the replay through an instance that sheds load, each once', async () => {
	let busy = 3
	const taken: string[] = []
	const ingress = createIngress({
		routes: [
			{
				...{ id: 'x', method: 'POST', path: '/x', access: { public: true }, family: 'api' },
				handle: (_request: unknown, response: { end(text: string): void }) => {
					taken.push('x')
					response.end('{"done":true}')
				},
			},
		] as never,
		authenticate: () => null as never,
		refusals: { api: refuseWithProblem } as never,
		checkOrigin: () => null,
		onDenied: () => {},
		liveRequests: new LiveRequests(),
		overload: {
			evaluate: () => (busy-- > 0 ? new Problem('overloaded', 'Too much work.') : null),
			admission: () => null,
		} as never,
		log: silentLog,
	})
	const client = new IngressClient(ingress, '127.0.0.1', 'none')
	expect(await client.call('POST', '/x', {})).toEqual({ done: true })
	expect(taken).toEqual(['x'])
	expect(busy).toBe(-1)
})
