// npm 10 takes the link of the pinned Node away again when it sees that the package for the other processor is not for this
// machine; npm 11 does not. Plain JavaScript, since the machine's own Node may be too old for TypeScript.
import { existsSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packages = new URL('../../node_modules/', import.meta.url)
const name = `node-${process.platform}-${process.arch}`
const link = new URL('.bin/node', packages)
if (!existsSync(link) && existsSync(new URL(`${name}/bin/node`, packages)))
	try {
		symlinkSync(`../${name}/bin/node`, fileURLToPath(link))
	} catch (error) {
		if (error.code !== 'EEXIST') throw error
	}
