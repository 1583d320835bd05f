// Some registries lack platform packages of other systems, and `npm install` then writes a lock file
// that `npm ci` refuses. This adds the missing optional entries; run it after every install that changes the lock.
import { readFileSync, writeFileSync } from 'node:fs'

const lockPath = new URL('../../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(lockPath, 'utf8'))
const systems = [
	'android',
	'darwin',
	'freebsd',
	'linux',
	'openharmony',
	'win32',
	'aix',
	'netbsd',
	'openbsd',
	'sunos',
]
const processors = [
	'arm64',
	'x64',
	'arm',
	'ia32',
	'ppc64',
	'riscv64',
	's390x',
	'loong64',
	'mips64el',
	'wasm32',
]

/** The platform in a package's name, e.g. `@biomejs/cli-linux-x64-musl`. */
function platformOf(name) {
	const words = name.split(/[-/]/)
	const os = words.filter((word) => systems.includes(word))
	const cpu = processors.filter((processor) => words.includes(processor))
	const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') && os[0] === 'linux' ? ['glibc'] : []
	return { ...(cpu.length > 0 && { cpu }), ...(os.length > 0 && { os }), ...(libc.length > 0 && { libc }) }
}

/** Whether npm would find `name` for a package installed at `path`: there, or in any folder above. */
function isLocked(path, name) {
	for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
		if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true
		if (folder === '') return false
	}
}

let added = 0
for (const [path, entry] of Object.entries(lock.packages)) {
	for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
		if (isLocked(path, name)) continue
		lock.packages[`node_modules/${name}`] = { version, license: 'MIT', optional: true, ...platformOf(name) }
		added += 1
	}
}
if (added > 0) writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`complete-lock: ${added} entries added`)
