import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pythonPackages } from '../src/python-environment.ts'
import { root } from '../src/source-files.ts'

const sources = join(root, 'checks/exporters')
const cache = join(root, 'node_modules/.cache/signalbox-exporters')
/** Includes the directory where Go is often installed without being on the PATH. */
const path = `${process.env.PATH}:/usr/local/go/bin`

/** Builds a Go program that sends one trace as configured by `OTEL_EXPORTER_OTLP_*`. Returns its command, or null if the build fails. */
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

/** Installs the same program for Python. Returns its command, or null if its packages cannot be installed. */
export function installPythonExporter(): string[] | null {
	const home = pythonPackages('exporters', join(sources, 'python/requirements.txt'))
	return home === null ? null : [join(home, 'bin/python'), join(sources, 'python/exporter.py')]
}
