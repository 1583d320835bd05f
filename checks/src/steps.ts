import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timesOf } from './processor-time.ts'
import { root } from './source-files.ts'

export interface Step {
	name: string
	command: string
	args: readonly string[]
	/** Whether to print nothing, because the caller reports failures. */
	quiet?: true
	/** A file to which the output is written continuously, so that a long step can be watched. */
	log?: string
}

/** A step that runs a program of node_modules/.bin with the pinned Node. */
export function tool(name: string, bin: string, ...args: string[]): Step {
	return { name, command: join(root, 'node_modules/.bin', bin), args }
}

/**
 * A step that checks types with one checker. The default of four takes twice the processor time, because each of them resolves the same
 * types again. Results for unchanged files are kept in `node_modules`, so a clean checkout is checked as a whole.
 */
export function checkTypes(name: string, project: string): Step {
	const kept = ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/types/${name}.tsbuildinfo`]
	return tool(`types: ${name}`, 'tsc', '-p', project, '--checkers', '1', ...kept)
}

/** Runs one step and shows its output if it fails, unless it is quiet; returns whether it passed. */
export async function runStep(
	step: Step,
	environment: Record<string, string> = {},
): Promise<{ passed: boolean; output: string }> {
	const startedMs = performance.now()
	const { code, output } = await run(step, environment)
	const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
	// A running step is not included, so the growth since the last step ended belongs to the one that ends now.
	const used = timesOf('self').ended
	console.log(
		`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s, ${(used - counted).toFixed(1)} s of processor time)`,
	)
	counted = used
	if (code !== 0 && !step.quiet) console.log(output)
	return { passed: code === 0, output }
}

/** Processor time of the previous steps. */
let counted = 0

function run(
	step: Step,
	environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
	const path = `${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`
	const child = spawn(step.command, step.args, {
		cwd: root,
		env: { ...process.env, ...environment, PATH: path },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	let output = ''
	if (step.log) writeFileSync(step.log, '')
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk: Buffer) => {
			output += chunk
			if (step.log) appendFileSync(step.log, chunk)
		})
	return new Promise((resolve) => {
		child.on('error', (error) => resolve({ code: 1, output: String(error) }))
		child.on('close', (code) => resolve({ code, output }))
	})
}
