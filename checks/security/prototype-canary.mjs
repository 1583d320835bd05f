// Loaded before the program by `--import`. It ends the program with an error as soon as a shared prototype has changed.
const shared = { Object, Array, Function, String, Number, Map, Promise }
const before = new Map(Object.entries(shared).map(([name, { prototype }]) => [name, namesOf(prototype)]))

let told = false

setInterval(() => {
	if (!told && !('__proto__' in {})) {
		told = true
		console.error('objects have no __proto__')
	}
	for (const [name, { prototype }] of Object.entries(shared)) {
		const gained = namesOf(prototype).filter((key) => !before.get(name).includes(key))
		if (gained.length === 0) continue
		console.error(`${name}.prototype gained ${gained}`)
		process.exit(99)
	}
}, 20).unref()

function namesOf(prototype) {
	return Reflect.ownKeys(prototype).map(String)
}
