import { mkdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { codingAgents } from './coding-agents.ts'
import { instrumentedPrograms } from './programs.ts'
import { startInstrumentedStage } from './run-programs.ts'

// Saves the telemetry that the programs send, and the spans that Signalbox records for the same calls:
// `record.ts <folder of installed programs> <output folder> [kinds]`.
const [, , homes = '', target = '', ...chosen] = process.argv
mkdirSync(target, { recursive: true })
const stage = await startInstrumentedStage()
const runs = [
	...instrumentedPrograms.map((given) => ({
		name: `${given.language}-${given.kind}`,
		run: () => stage.run(given, `${homes}/${given.language === 'python' ? 'py' : 'js'}/${given.kind}`),
	})),
	...codingAgents.map((agent) => ({
		name: agent.kind,
		run: () => stage.runAgent(agent, `${homes}/agents/${agent.kind}`),
	})),
]
for (const { name, run } of runs) {
	if (chosen.length > 0 && !chosen.includes(name)) continue
	try {
		const made = await run()
		writeFileSync(`${target}/${name}.json.gz`, gzipSync(JSON.stringify(made), { level: 9 }))
		console.log(name, made.sent.length, 'bodies,', made.own.length, 'spans of Signalbox')
	} catch (error) {
		console.error(name, String((error as { stderr?: string }).stderr ?? error).slice(-1500))
	}
}
await stage.close()
