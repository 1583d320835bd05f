/** Calls that are refused because of their cost: 402. */
export const moneyProblems = {
	budget_exhausted: {
		status: 402,
		title: 'A budget is used up',
		remedy:
			'`detail` names the budget, what is left, when it renews and who can help; an admin can raise it.',
	},
	model_unpriced: {
		status: 402,
		title: 'The price of the model is unknown, and a budget requires one',
		remedy:
			'Set a price (POST /v1/prices), or let the budget allow unpriced models or count them at a ceiling price.',
	},
} as const
