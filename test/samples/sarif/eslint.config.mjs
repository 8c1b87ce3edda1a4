export default [{ rules: { "no-unused-vars": "warn", "no-cond-assign": "error", "no-eval": "error", "no-undef": "error" } }]
