import type { Command } from 'commander'
import { verifyAudit } from '../../accounts/audit/index.ts'
import { isJson } from './config-commands.ts'
import { withControlStore } from './control-store.ts'
import { exitCodes, printResult } from './outcome.ts'

export function addAuditCommands(program: Command): void {
	const audit = program.command('audit').description('The audit log')
	audit
		.command('verify')
		.description(
			'Recompute the chain of every workspace; fails at the first record that was changed or removed',
		)
		.action(async (_options: object, command: Command) => {
			const verdict = await withControlStore(({ store, sealer }) => verifyAudit(store, sealer))
			const { bad } = verdict
			const lines = bad
				? [
						bad.seq === 0
							? `NOT INTACT: ${bad.reason}.`
							: `NOT INTACT: record ${bad.seq} of workspace ${bad.workspaceId} (${bad.id ?? 'no id'}) ${bad.reason}.`,
					]
				: [
						`${verdict.records} records in ${verdict.heads.length} chains are intact.`,
						...verdict.heads.map(toLine),
					]
			printResult(isJson(command), verdict, lines)
			if (!verdict.intact) process.exitCode = exitCodes.failed
		})
}

/** Kept elsewhere, a head proves later that nothing was cut off the end. */
function toLine({ workspaceId, seq, chain }: { workspaceId: string; seq: number; chain: string }): string {
	return `  ${workspaceId}  ${seq}  ${chain}`
}
