import { dirname, join } from 'node:path'
import type { Launch, SandboxDriver } from './driver.ts'
import { systemPath } from './find-on-path.ts'
import { limitCommand } from './limit-command.ts'

/**
 * A shell that becomes the program and leaves one small reader behind: when the pipe on descriptor 3 closes, because we
 * ended or were killed, the reader kills the whole process group.
 */
const guarded = '( ( read -r _ <&3; kill -9 0 ) </dev/null >/dev/null 2>&1 & ); exec "$@" 3<&-'

/** No sandbox: the program may do what our own user may. Only for those whom an owner accepted in writing. */
export const withoutSandbox: SandboxDriver = {
	kind: 'none',
	packagePath: (packageDir) => packageDir,
	wrap: ({ file, args, env, home, memoryBytes }: Launch) => ({
		file: '/bin/sh',
		args: ['-c', guarded, 'sh', ...limitCommand([file, ...args], { memoryBytes, processes: null })],
		env: {
			...env,
			PATH: [dirname(process.execPath), ...systemPath].join(':'),
			HOME: home,
			TMPDIR: join(home, 'tmp'),
			LANG: 'C.UTF-8',
		},
		cwd: home,
	}),
}
