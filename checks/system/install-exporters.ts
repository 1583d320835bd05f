import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pythonPackages } from '../src/python-environment.ts'
import { root } from '../src/source-files.ts'

const sources = join(root, 'checks/exporters')
const cache = join(root, 'node_modules/.cache/signalbox-exporters')
/** Where Go is on many machines without being on the path. */
const path = `${process.env.PATH}:/usr/local/go/bin`

/** A command that sends one trace as the variables `OTEL_EXPORTER_OTLP_*` say, or null where it cannot be made. */
export function buildGoExporter(): string[] | null {
	mkdirSync(cache, { recursive: true })
	const program = join(cache, 'go-exporter')
	const built = spawnSync('go', ['build', '-o', program, '.'], {
		cwd: join(sources, 'go'),
		env: { ...process.env, PATH: path },
		stdio: 'ignore',
	})
	return built.status === 0 ? [program] : null
}

/** The same in Python. */
export function installPythonExporter(): string[] | null {
	const home = pythonPackages('exporters', join(sources, 'python/requirements.txt'))
	return home === null ? null : [join(home, 'bin/python'), join(sources, 'python/exporter.py')]
}
