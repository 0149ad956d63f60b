/** The rules for the page's scripts: what ESLint recommends, and no name that is not used or not there. */

const browser = ["document", "window", "location", "history", "navigator", "performance", "addEventListener", "requestAnimationFrame", "matchMedia", "setTimeout", "clearTimeout", "URLSearchParams"];

export default [
    {
        files: ["**/*.js"],
        languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
        rules: {
            "no-undef": "error", "no-unused-vars": "error", "prefer-const": "error", eqeqeq: "error", "no-var": "error", "no-shadow": "error",
            "no-redeclare": "error", "no-unreachable": "error", "no-fallthrough": "error", "no-dupe-keys": "error", "no-self-assign": "error",
            "no-implied-eval": "error", "no-eval": "error", "no-new-func": "error",
        },
    },
];
