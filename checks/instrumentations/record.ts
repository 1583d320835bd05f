import { mkdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { instrumentedPrograms } from './programs.ts'
import { startInstrumentedStage } from './run-programs.ts'

// Records what the programs send, and what Signalbox records beside them: `record.ts <folder of installed programs> <folder to write to> [kinds]`.
const [, , homes = '', target = '', ...chosen] = process.argv
mkdirSync(target, { recursive: true })
const stage = await startInstrumentedStage()
for (const given of instrumentedPrograms) {
	const name = `${given.language}-${given.kind}`
	if (chosen.length > 0 && !chosen.includes(name)) continue
	try {
		const made = await stage.run(given, `${homes}/${given.language === 'python' ? 'py' : 'js'}/${given.kind}`)
		writeFileSync(`${target}/${name}.json.gz`, gzipSync(JSON.stringify(made), { level: 9 }))
		console.log(name, made.sent.length, 'bodies', made.own.length, 'own')
	} catch (error) {
		console.error(name, String((error as { stderr?: string }).stderr ?? error).slice(-1500))
	}
}
await stage.close()
