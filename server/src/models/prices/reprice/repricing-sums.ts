import type { ledgerOperations, OutputOf } from '@signalbox/contract'
import { type PricedCall, presentMoney } from '../../../ledger/index.ts'
import type { StoredCall } from './repository.ts'

type Repricing = OutputOf<(typeof ledgerOperations)['reprice']>
type Told = Omit<Repricing['models'][number], 'provider' | 'model'>

class Sums {
	#calls = 0
	#changed = 0
	#before = 0n
	#after = 0n
	#unpricedBefore = 0
	#unpricedAfter = 0

	add({ cost }: StoredCall, { costNanoUsd }: PricedCall, changed: boolean): void {
		this.#calls += 1
		if (changed) this.#changed += 1
		if (cost === null) this.#unpricedBefore += 1
		else this.#before += BigInt(cost)
		if (costNanoUsd === null) this.#unpricedAfter += 1
		else this.#after += costNanoUsd
	}

	get told(): Told {
		return {
			calls: this.#calls,
			changed: this.#changed,
			...presentMoney('cost_before', this.#before),
			...presentMoney('cost_after', this.#after),
			unpriced_before: this.#unpricedBefore,
			unpriced_after: this.#unpricedAfter,
		}
	}
}

/** What a re-pricing comes to, in all and by model. */
export class RepricingSums {
	readonly #all = new Sums()
	readonly #byModel = new Map<string, { provider: string; model: string; sums: Sums }>()

	add(call: StoredCall, priced: PricedCall, changed: boolean): void {
		const { provider, model } = call
		const key = `${provider} ${model}`
		const found = this.#byModel.get(key) ?? { provider, model, sums: new Sums() }
		this.#byModel.set(key, found)
		for (const sums of [this.#all, found.sums]) sums.add(call, priced, changed)
	}

	get told(): Told & Pick<Repricing, 'models'> {
		const models = [...this.#byModel.values()].map(({ sums, ...names }) => ({ ...names, ...sums.told }))
		return { ...this.#all.told, models: models.sort((a, b) => b.changed - a.changed || b.calls - a.calls) }
	}
}
