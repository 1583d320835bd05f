import { styleText } from 'node:util'
import type { Command } from 'commander'
import { isJson } from './config-commands.ts'
import type { Finding } from './doctor/finding.ts'
import { exitCodes, printResult } from './outcome.ts'

export function addDoctorCommand(program: Command): void {
	program
		.command('doctor')
		.description('Check everything that an instance needs, and say how to fix what is wrong')
		.action(async (_options: object, command: Command) => {
			const { examine } = await import('./doctor/examine.ts')
			const findings = await examine()
			printResult(isJson(command), { findings }, findings.flatMap(toLines))
			if (findings.some(({ status }) => status === 'fail')) process.exitCode = exitCodes.failed
		})
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function toLines({ check, status, detail, fix }: Finding): string[] {
	const line = `${styleText(colours[status], status.padEnd(4))}  ${check}: ${detail}`
	return fix ? [line, `      → ${fix}`] : [line]
}
