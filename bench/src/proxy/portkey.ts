import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { installPeers } from '../peers/install.ts'
import { freePort, untilReady } from '../peers/start.ts'
import { onCore } from '../stage.ts'

/** Another model gateway with its own defaults; null if it cannot be installed. */
export async function startPortkey(children: ChildProcess[]): Promise<{ url: string; pid: number } | null> {
	const commands = installPeers('proxy-peers')
	if (commands === null) return null
	const script = join(commands, '../@portkey-ai/gateway/build/start-server.js')
	const port = await freePort()
	const [first = '', ...rest] = onCore(0)
	const command = [...rest, process.execPath, script, `--port=${port}`, '--headless']
	const child = spawn(first, command, { stdio: 'ignore' })
	children.push(child)
	const url = `http://127.0.0.1:${port}`
	await untilReady(() => fetch(url))
	return { url, pid: child.pid as number }
}
