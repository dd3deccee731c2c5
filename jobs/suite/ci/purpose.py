"""What a command of a workflow is for: to prepare, to build, to test, or something else. Pure."""

from __future__ import annotations

import re
from typing import Literal

from jobs.suite.ci.script import bare, whole

Purpose = Literal["setup", "system", "build", "test", "container", "other"]

# The program's words joined by single spaces are matched from the beginning.
_SCRIPT = (
    r"(?:\S*[:_-])?(?:tests?|unit|specs?|jest|vitest|mocha|tap|ava|coverage|cov)(?:[:_-](?!lint|types?\b|"
    r"typings?\b)\S*)?"
)
_NEVER = re.compile(r"--(?:collect-only|no-run|no-tests|version|help|dry-run|list)\b|^\S+ (?:-h|-V|--version)$")
_SYSTEM = (
    (
        r"(?:apt|apt-get|aptitude|yum|dnf|apk|pacman|zypper|brew|choco|snap|winget)(?: \S+)* (?:install|update|add|"
        r"upgrade|-S\S*)\b"
    ),
    r"(?:modprobe|sysctl|systemctl|service|usermod|ulimit|swapoff|locale-gen|add-apt-repository|nvidia-smi)\b",
)
_CONTAINER = (
    r"docker[ -]compose\b",
    r"docker (?:run|build|buildx|compose|exec|pull|start|network|volume)\b",
    r"(?:podman|minikube|kind|kubectl|helm|k3d|vagrant|act|earthly)\b",
)
_TEST = (
    r"(?:py\.?test|nosetests|stestr|trial|green|ward|behave)\b",
    r"(?:tox|nox)\b(?! --?(?:notest|install-only))",
    r"hatch (?:test|run \S*(?:tests?|cov)\S*)\b",
    (
        r"python[\d.]* (?:-[WX] \S+ |-\S+ )*-m (?:pytest|unittest|nose2|twisted\.trial|tox|nox|trial|django test|"
        r"doctest|ward|behave)\b"
    ),
    r"python[\d.]* (?:-[WX] \S+ |-\S+ )*\S*(?:manage|runtests|run_tests?|test_runner|setup)\.py test\b",
    r"python[\d.]* (?:-[WX] \S+ |-\S+ )*\S*(?:runtests|run_tests?|test_runner|testsuite|alltests)\.py\b",
    r"(?:coverage|python[\d.]* -m coverage) run\b",
    r"django-admin test\b",
    (
        rf"(?:npm|pnpm|yarn|bun|npx lerna|lerna|npx turbo|turbo|npx nx|nx|ni|nr)(?: -\S+| --\S+ \S+| "
        rf"workspaces?(?: foreach)?| [^\s/]*/\S*)* (?:run |run-script |exec |affected |run-many (?:-t |--target[= "
        rf"]))?{_SCRIPT}(?: |$)"
    ),
    r"(?:npm|pnpm|yarn) (?:-\S+ )*t(?: |$)",
    (
        r"(?:npx |bunx |pnpm exec |pnpm |yarn |yarn run |pnpm dlx )?(?:--\S+ )*(?:c8 |nyc )?(?:jest|vitest|_?mocha|"
        r"ava|tap|tape|karma|uvu|jasmine|web-test-runner|wtr|borp|zora|lab|qunit)\b"
    ),
    r"(?:npx |bunx |pnpm exec )?(?:playwright|cypress)(?: test| run)\b",
    r"(?:c8 |nyc )?node (?:\S+ )*--test\b",
    r"(?:c8 |nyc )?node (?:--\S+ )*\.?/?(?:tests?|spec)(?:/\S*|\.[cm]?js)\b",
    r"(?:bun|deno) (?:run )?(?:--\S+ )*(?:test)\b",
    r"(?:go test|gotestsum|richgo test|ginkgo|gotest)\b",
    (
        r"(?:cargo(?: \+\S+)? (?:test|t|nextest run|nextest r|hack .*test|llvm-cov|tarpaulin|careful test|miri "
        r"test)|cross test)\b"
    ),
    r"(?:\S*/)?(?:rspec|minitest|m|cucumber)(?: |$)",
    r"(?:\S*/)?rake(?: \S+=\S+| -\S+)*(?:$| (?:test|spec|ci|default)\S*)",
    r"(?:\S*/)?rails (?:\S+ )*?(?:test|spec)\S*",
    r"ruby (?:-\S+ )*(?:test|spec)/\S+|ruby (?:-\S+ )*-Itest\b",
    r"(?:\S*/)?(?:phpunit|simple-phpunit|pest|paratest|codecept run|behat|atoum)\b",
    r"composer (?:run |run-script |exec )?(?:-\S+ )*(?:\S*[:_-])?(?:tests?|unit|phpunit|pest)(?:[:_-]\S+)?(?: |$)",
    r"php (?:-\S+ )*(?:\S*/)?(?:artisan test|phpunit\S*|pest)\b",
    (
        r"(?:mvn|\./mvnw|mvnw|mvnd)\b(?=.* (?:test|verify|install|package|integration-test|clean test|"
        r"deploy)\b)(?!.*-DskipTests)"
    ),
    (
        r"(?:gradle|\S*gradlew)\b(?=.* :?(?:\S+:)?(?:test\w*|check|build|connectedCheck|allTests|jvmTest)\b)(?!.* "
        r"-x :?test\b)"
    ),
    r"(?:sbt|lein|boot|clojure|clj|mill|scala-cli|bazel|bazelisk|buck2?)\b.*\b(?:\+?tests?|kaocha|:test\S*)\b",
    r"dotnet (?:test|vstest|run .*[Tt]est)\b",
    r"mix (?:do )?(?:test|espec|coveralls|ci)\b",
    r"rebar3 .*\b(?:eunit|ct|proper)\b",
    r"(?:ctest|meson test|prove|bats|shellspec|busted|roundup)\b",
    r"(?:ninja|samu)\b.* (?:test|check)\b",
    r"cmake --build\b.* (?:--target|-t) (?:\S+ )*(?:test|check|RUN_TESTS)\b",
    (
        r"(?:g?make|just|task|mage|invoke|inv|rake|mise run|pixi run|scons|waf|\./waf|\./run|\./dev|\./do|dev)(?: "
        r"-\S+| -C \S+|\s\S+=\S+| \w+)*? (?:\S*[:_/-])?(?:tests?|check|checks|unit|unittests?|spec|"
        r"pytest)(?:[:_/-](?!lint|types?\b)\S*)?(?: |$)"
    ),
    (
        r"(?:zig build|swift|dart|flutter|dub|nimble|cabal|stack|opam exec -- dune|dune|crystal|gleam|elm-test|"
        r"forge|hardhat|vcpkg|xmake|raku|zef|spago|lake|v|julia .*Pkg\.)(?: -\S+)* ?(?:test|runtest|"
        r"spec)?\b(?:(?<=test)|(?<=runtest)|(?<=spec))"
    ),
    r"(?:bash|sh)? ?(?:\./)?(?:\S*/)?(?:run[_-]?)?(?:unit[_-]?)?tests?(?:\.(?:sh|bash|py|rb|pl))?(?: |$)",
    r"(?:\./)?(?:script|bin|scripts|ci|tools)/(?:\S*[_-])?(?:test|cibuild|check|spec)\S*",
)
_SETUP = (
    r"(?:python[\d.]* -m )?pip[\d.]* (?:install|wheel|uninstall|list|freeze|config|cache)\b",
    r"uv (?:sync|pip|venv|tool|python|lock|cache)\b",
    r"(?:python[\d.]* -m )?(?:virtualenv|venv)\b",
    r"(?:poetry|pdm|pipenv|rye|pixi) (?:install|sync|lock|add|config|env|self)\b",
    r"pipx\b|(?:conda|mamba|micromamba)\b|hatch env\b|easy_install\b|(?:source|\.) \S*activate\b",
    r"(?:npm|pnpm|yarn|bun|deno) (?:-\S+ |--\S+ )*(?:ci|install|i|add|link|set|config|dlx|self-update|cache)\b",
    (
        r"yarn(?: --\S+)*$|npx (?:--\S+ )*(?:playwright install|lerna bootstrap|puppeteer|only-allow|pnpm install|"
        r"yarn install)|lerna bootstrap|corepack\b|nvm\b"
    ),
    r"go (?:mod|get|install|env|generate|work)\b",
    r"(?:rustup|cargo(?: \+\S+)? (?:fetch|install|binstall|update|generate-lockfile|vendor))\b",
    r"(?:bundle(?: _\S+_)?(?: (?:install|config|update|lock|check))?(?: -\S+.*)?$|gem (?:install|update)|bundler\b)",
    r"(?:\S*/)?(?:rails|rake) (?:db:|assets:)|(?:\S*/)?setup\b",
    r"(?:php )?composer(?:\.phar)? (?:install|update|require|config|global|validate|remove)\b",
    r"(?:mvn|\./mvnw)\b.*(?:dependency:|-DskipTests)|(?:gradle|\S*gradlew)\b.*(?:dependencies|--version|assemble)",
    r"dotnet (?:restore|tool|workload|nuget)\b|nuget restore\b",
    r"mix (?:deps\.get|local\.\w+|archive\.install|deps)\b",
    r"git (?:submodule|config|fetch|lfs|clone|checkout)\b",
    r"(?:opam|cabal update|stack setup|luarocks|cpanm?|cpan|vcpkg|conan)\b",
    r"(?:curl|wget|unzip|tar|chmod|cp|mv|mkdir|ln|touch|export|echo .*>>)\b",
)
_BUILD = (
    (
        r"(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:run |run-script )?(?:\S*[:_-])?(?:build|compile|prepare|bootstrap|"
        r"pretest|generate|codegen|bundle|tsc)(?:[:_-]\S+)?(?: |$)"
    ),
    (
        r"(?:npx |pnpm exec |yarn )?(?:tsc|tsup|rollup|webpack|vite build|esbuild|swc|turbo (?:run )?build|nx "
        r"(?:run-many .*)?build|lerna run build)\b"
    ),
    (
        r"cmake\b|meson (?:setup|compile)?\b|ninja\b|\.?\.?/?configure\b|(?:sh |\./)?(?:autogen|bootstrap|"
        r"buildconf)(?:\.sh)?\b|autoreconf\b|automake\b"
    ),
    (
        r"g?make(?: -\S+| \d+| \w+=\S*| all| build| compile| install| deps| bootstrap)*$|cargo(?: \+\S+)? build\b|"
        r"go build\b|dotnet build\b|mix compile\b|gradle\b|\S*gradlew\b|(?:mvn|\./mvnw)\b"
    ),
    (
        r"python[\d.]* (?:-[WX] \S+ |-\S+ )*setup\.py (?:build|develop|build_ext|install)|maturin\b|cython\b|"
        r"protoc\b|buf generate\b"
    ),
)
_ORDER: tuple[tuple[Purpose, tuple[str, ...]], ...] = (
    ("system", _SYSTEM),
    ("container", _CONTAINER),
    ("test", _TEST),
    ("setup", _SETUP),
    ("build", _BUILD),
)
_RULES = tuple((purpose, re.compile("|".join(f"(?:{rule})" for rule in rules))) for purpose, rules in _ORDER)
_STRONGEST: tuple[Purpose, ...] = ("container", "test", "setup", "build")
_MOST, _WORDS = 2000, 14  # characters, words
_INSIDE = re.compile(r"[|;&\n]+")


def purpose(command: str) -> Purpose:
    """What `command` is for; a script with control structures is for what its strongest part is for."""
    if not whole(command):
        return _of(command)
    parts = [_of(re.sub(r"^\s*(?:then|do|else|if|while|for|!)\b", "", part).strip()) for part in _INSIDE.split(command)]
    return next((one for one in _STRONGEST if one in parts), "other")


def _of(command: str) -> Purpose:
    # The first words tell; the rules try many ways to read them, so there must not be many.
    text = " ".join(bare(re.split(r"\s(?:\|\|?|>)\s?", command[:_MOST], maxsplit=1)[0])[:_WORDS])
    if not text:
        return "other"
    for name, rule in _RULES:
        if rule.match(text):
            return "other" if name == "test" and _NEVER.search(text) else name
    return "other"
