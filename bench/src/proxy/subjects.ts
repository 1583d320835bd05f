import type { ChildProcess } from 'node:child_process'
import { modelPath } from '../calls.ts'
import type { Target } from '../load.ts'
import type { Stage } from '../stage.ts'
import { startNginx } from './nginx.ts'
import { startPortkey } from './portkey.ts'

/** One way to the far end. */
export interface Subject {
	name: string
	pid: number
	/** A call with this body. */
	to(body: string): Target & { path: string }
}

/** The subjects of the measurement; those that are not available on this machine are null. */
export interface Subjects {
	direct: Subject
	bare: Subject
	ours: Subject
	nginx: Subject | null
	portkey: Subject | null
}

/** The far end itself, the bare pass-through, Signalbox, and nginx and another gateway if available; all on core 0 except the first. */
export async function openSubjects(stage: Stage, key: string, children: ChildProcess[]): Promise<Subjects> {
	const { upstreamUrl, passThroughUrl, passThroughPid, program } = stage
	const nginx = await startNginx(upstreamUrl, children)
	const portkey = await startPortkey(children)
	const host = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstreamUrl}/v1` }
	return {
		direct: subject('direct', 0, upstreamUrl),
		bare: subject('bare pass-through', passThroughPid, passThroughUrl),
		ours: subject('Signalbox', program.pid, program.url, {
			path: `/proxy/openai${modelPath}`,
			headers: { authorization: `Bearer ${key}` },
		}),
		nginx: nginx && subject('nginx', nginx.pid, nginx.url),
		portkey: portkey && subject('@portkey-ai/gateway', portkey.pid, portkey.url, { headers: host }),
	}
}

function subject(
	name: string,
	pid: number,
	origin: string,
	{ path = modelPath, headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Subject {
	const all = { 'content-type': 'application/json', authorization: 'Bearer sk-bench-key', ...headers }
	return { name, pid, to: (body) => ({ name, pid, origin, path, headers: all, body }) }
}

/** All available subjects in display order. */
export function allOf({ direct, bare, ours, nginx, portkey }: Subjects): Subject[] {
	return [direct, bare, ours, nginx, portkey].filter((subject) => subject !== null)
}
