import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { openPlatform } from './platform.ts'
import { runScenario, type Scenario } from './run-scenario.ts'

/** Acts as the client in the suite's scenarios, through a real program. */
export interface ClientDriver {
	/** `command.mjs` posts each scenario here. The response is sent after the scenario was played; 500 with the reason if it failed. */
	url: string
	close(): Promise<void>
}

export async function startClientDriver(program: Program): Promise<ClientDriver> {
	const platform = openPlatform(program)
	const inTurn = newQueue(4)
	const start = newStart(1000)
	const play = async (request: IncomingMessage, response: ServerResponse) => {
		const scenario = JSON.parse(await text(request)) as Scenario
		await start.waitForOthers()
		await inTurn(() => runScenario(platform, scenario)).then(
			() => response.end(),
			(error: Error) => response.writeHead(500).end(error.stack),
		)
	}
	const listener = createServer((request, response) => void play(request, response))
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = async () => {
		listener.closeAllConnections()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, close }
}

/** The suite starts one process for each scenario at once, which slows its servers down. So play only after all have reported. */
function newStart(quietMs: number): { waitForOthers(): Promise<void> } {
	const { promise, resolve } = Promise.withResolvers<void>()
	let timer: NodeJS.Timeout | undefined
	const waitForOthers = () => {
		clearTimeout(timer)
		timer = setTimeout(resolve, quietMs)
		return promise
	}
	return { waitForOthers }
}

/** Limits how many scenarios run at once. The suite starts all of them together, which is too much for a small machine. */
function newQueue(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
	const lanes = Array.from({ length: atOnce }, () => Promise.resolve() as Promise<unknown>)
	let next = 0
	return (work) => {
		const at = next++ % atOnce
		const done = (lanes[at] as Promise<unknown>).then(work)
		lanes[at] = done.catch(() => {})
		return done
	}
}
