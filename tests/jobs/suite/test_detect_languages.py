"""What manifests alone say, in every language: fixture trees as real projects write them."""

from __future__ import annotations

import pytest

from jobs.suite.detect import detect
from jobs.suite.suite import Toolchain

GOMOD = "module example.com/m\n\ngo 1.21\n"
RUST = "[package]\nname = 'm'\nversion = '0.1.0'\n"
RUST_TEST = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n"
POM = "<project><modelVersion>4.0.0</modelVersion></project>"
SDK = (
    '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" '
    "/></ItemGroup></Project>"
)
CTEST = "project(x C)\nenable_testing()\nadd_test(NAME a COMMAND a)\n"
MAVEN = "mvn -B -ntp -Dmaven.test.failure.ignore=true test && mvn -B -ntp -q clean"
COMPOSER = "composer install --no-interaction --no-progress --prefer-dist"
MIX = ("mix local.hex --force --if-missing", "mix local.rebar --force --if-missing", "mix deps.get")

Row = tuple[dict[str, str], str, tuple[str, ...], str, str]

ROWS: dict[str, Row] = {
    "go module": ({"go.mod": GOMOD, "a_test.go": ""}, "go", (), "go test ./...", "go"),
    "go module with requirements": (
        {"go.mod": GOMOD + "\nrequire (\n\tgithub.com/stretchr/testify v1.9.0\n)\n", "go.sum": "", "pkg/a_test.go": ""},
        *("go", ("go mod download",), "go test ./...", "go"),
    ),
    "go module with one requirement": (
        {"go.mod": GOMOD + "\nrequire github.com/pkg/errors v0.9.1\n", "a_test.go": ""},
        *("go", ("go mod download",), "go test ./...", "go"),
    ),
    "go module, vendored": (
        {"go.mod": GOMOD + "require a.com/b v1.0.0\n", "vendor/modules.txt": "", "a_test.go": ""},
        *("go", (), "go test ./...", "go"),
    ),
    "go workspace": (
        {
            "go.work": "go 1.22\n\nuse (\n\t./api\n\t./lib\n)\n",
            "api/go.mod": GOMOD,
            "lib/go.mod": GOMOD,
            "lib/a_test.go": "",
        },
        *("go", ("go mod download",), "go test ./api/... ./lib/...", "go"),
    ),
    "crate": ({"Cargo.toml": RUST, "src/lib.rs": RUST_TEST}, "rust", (), "cargo test", "cargo"),
    "crate with dependencies and lock": (
        {"Cargo.toml": RUST + "[dependencies]\nserde = '1'\n", "Cargo.lock": "", "tests/a.rs": ""},
        *("rust", ("cargo fetch --locked",), "cargo test", "cargo"),
    ),
    "crate with dependencies, unlocked": (
        {"Cargo.toml": RUST + "[dev-dependencies]\nrand = '0.8'\n", "src/lib.rs": RUST_TEST},
        *("rust", ("cargo fetch",), "cargo test", "cargo"),
    ),
    "cargo workspace": (
        {"Cargo.toml": "[workspace]\nmembers = ['crates/*']\n", "Cargo.lock": "", "crates/a/src/lib.rs": RUST_TEST},
        *("rust", ("cargo fetch --locked",), "cargo test --workspace", "cargo"),
    ),
    "gem with specs": (
        {"Gemfile": "gemspec\n", "a.gemspec": "", "spec/a_spec.rb": "", ".rspec": ""},
        *("ruby", ("bundle install",), "bundle exec rspec", "rspec"),
    ),
    "gem with minitest by rake": (
        {"Gemfile": "gem 'minitest'\n", "Rakefile": "Rake::TestTask.new(:test)\n", "test/a_test.rb": ""},
        *("ruby", ("bundle install",), "bundle exec rake test", "minitest"),
    ),
    "rails": (
        {"Gemfile": "gem 'rails'\n", "Gemfile.lock": "", "bin/rails": "", "Rakefile": "", "test/models/a_test.rb": ""},
        *("ruby", ("bundle install",), "bin/rails test", "minitest"),
    ),
    "ruby without bundler": (
        {"Rakefile": "task :test\n", "test/test_a.rb": ""},
        *("ruby", (), "rake test", "minitest"),
    ),
    "phpunit": (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}', "phpunit.xml.dist": "", "tests/ATest.php": ""},
        *("php", (COMPOSER,), "vendor/bin/phpunit", "phpunit"),
    ),
    "phpunit without settings": (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "^9"}}', "tests/ATest.php": ""},
        *("php", (COMPOSER,), "vendor/bin/phpunit tests", "phpunit"),
    ),
    "pest": (
        {"composer.json": '{"require-dev": {"pestphp/pest": "^2"}}', "phpunit.xml": "", "tests/Feature/ATest.php": ""},
        *("php", (COMPOSER,), "vendor/bin/pest", "phpunit"),
    ),
    "symfony": (
        {"composer.json": '{"require-dev": {"symfony/phpunit-bridge": "*"}}', "tests/ATest.php": ""},
        *("php", (COMPOSER,), "vendor/bin/simple-phpunit", "phpunit"),
    ),
    "composer script": (
        {"composer.json": '{"scripts": {"test": "tester tests"}}', "tests/a.phpt": ""},
        *("php", (COMPOSER,), "composer test", "other"),
    ),
    "maven": ({"pom.xml": POM, "src/test/java/ATest.java": ""}, "java", (MAVEN,), "mvn -B -ntp test", "maven"),
    "maven by its wrapper": (
        {"pom.xml": POM, "mvnw": "", "a/src/test/java/ATest.java": ""},
        *("java", (MAVEN.replace("mvn ", "./mvnw "),), "./mvnw -B -ntp test", "maven"),
    ),
    "dotnet solution": (
        {"App.sln": "", "src/App/App.csproj": "<Project/>", "test/App.Tests/App.Tests.csproj": SDK},
        *("dotnet", ("dotnet restore",), "dotnet test --no-restore", "dotnet"),
    ),
    "dotnet project by itself": (
        {"tests/Unit/Unit.csproj": SDK},
        *(
            "dotnet",
            ("dotnet restore tests/Unit/Unit.csproj",),
            "dotnet test tests/Unit/Unit.csproj --no-restore",
            "dotnet",
        ),
    ),
    "elixir": (
        {"mix.exs": "defp deps do\n [{:plug, '~> 1.0'}]\n", "mix.lock": "", "test/a_test.exs": ""},
        *("elixir", MIX, "mix test", "exunit"),
    ),
    "elixir without dependencies": (
        {"mix.exs": "defmodule A.MixProject do\nend\n", "test/a_test.exs": ""},
        *("elixir", (), "mix test", "exunit"),
    ),
    "cmake": (
        {"CMakeLists.txt": CTEST, "a.c": ""},
        "native",
        (),
        (
            "cmake -S . -B build -DBUILD_TESTING=ON && cmake --build build --parallel && ctest --test-dir build "
            "--output-on-failure"
        ),
        "ctest",
    ),
    "cmake with a switch and a folder named build": (
        {
            "CMakeLists.txt": "option(FMT_BUILD_TESTS 'x' OFF)\nadd_subdirectory(test)\n",
            "test/CMakeLists.txt": CTEST,
            "build/x": "",
        },
        "native",
        (),
        "cmake -S . -B build-tests -DBUILD_TESTING=ON -DFMT_BUILD_TESTS=ON && cmake --build build-tests --parallel && "
        "ctest --test-dir build-tests --output-on-failure",
        "ctest",
    ),
    "meson": (
        {"meson.build": "project('a', 'c')\nsubdir('t')\n", "t/meson.build": "test('a', exe)\n"},
        *("native", (), "meson setup build && meson test -C build --print-errorlogs", "meson"),
    ),
    "autotools": (
        {"configure.ac": "", "Makefile.am": "SUBDIRS = tests\n", "tests/Makefile.am": "TESTS = a\n", "autogen.sh": ""},
        *("native", (), "./autogen.sh && ./configure && make && make check", "automake"),
    ),
    "make": ({"Makefile": "all:\n\tcc a.c\ntest: all\n\t./a\n", "a.c": ""}, "other", (), "make test", "other"),
    "make check": ({"GNUmakefile": "check:\n\t./a\n"}, "other", (), "make check", "other"),
    "just": ({"justfile": "build:\n  cc\n\ntest *args: build\n  ./a\n"}, "other", (), "just test", "other"),
    "task": ({"Taskfile.yml": "version: 3\ntasks:\n  test:\n    cmds: [x]\n"}, "other", (), "task test", "other"),
    "perl": ({"Makefile.PL": "", "t/00-load.t": "", "lib/A.pm": ""}, "other", (), "prove -lr t", "other"),
    "bats": ({"bin/tool": "", "test/tool.bats": ""}, "other", (), "bats test", "other"),
    "script": ({"main.zig": "", "run_tests.sh": ""}, "other", (), "bash run_tests.sh", "other"),
    "a language's own before make": (
        {"Makefile": "test:\n\tgo test ./...\n", "go.mod": GOMOD, "a_test.go": ""},
        *("go", (), "go test ./...", "go"),
    ),
}


def found(files: dict[str, str]) -> Toolchain:
    return detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, None, None)


@pytest.mark.parametrize("name", list(ROWS))
def test_manifests_say_how_to_prepare_and_test(name: str) -> None:
    files, language, setup, command, runner = ROWS[name]
    toolchain = found(files)
    assert toolchain.suite is not None, toolchain.why
    assert (toolchain.language, toolchain.setup) == (language, setup)
    assert (toolchain.suite.command, toolchain.suite.runner) == (command, runner)
    assert all(sentence.endswith(".") for sentence in toolchain.why)


def test_gradle_reads_what_set_up_fetched() -> None:
    toolchain = found({"build.gradle.kts": "", "gradlew": "", "src/test/kotlin/ATest.kt": ""})
    assert toolchain.suite is not None
    assert toolchain.suite.command == "./gradlew --no-daemon --offline --continue test"
    assert toolchain.setup[0].startswith("export GRADLE_USER_HOME=/env/gradle; ./gradlew")
    assert toolchain.env == {"GRADLE_RO_DEP_CACHE": "/env/gradle/caches"}


@pytest.mark.parametrize(
    ("files", "language"),
    [
        ({"go.mod": GOMOD, "a.go": "package a\n"}, "go"),
        ({"Cargo.toml": RUST, "src/main.rs": "fn main() {}\n"}, "rust"),
        ({"Gemfile": "gem 'sinatra'\n", "app.rb": ""}, "ruby"),
        ({"composer.json": "{}", "index.php": ""}, "php"),
        ({"pom.xml": POM, "src/main/java/A.java": ""}, "java"),
        ({"A.csproj": "<Project/>"}, "dotnet"),
        ({"mix.exs": "", "lib/a.ex": ""}, "elixir"),
        ({"CMakeLists.txt": "project(a)\n"}, "native"),
        ({"Makefile": "all:\n\tcc a.c\n"}, "other"),
    ],
)
def test_a_project_without_tests_is_named_and_no_command_invented(files: dict[str, str], language: str) -> None:
    toolchain = found(files)
    assert (toolchain.suite, toolchain.language) == (None, language)
    assert toolchain.why


def test_what_a_layer_needs_is_led_there() -> None:
    rust = found({"Cargo.toml": RUST + "[dependencies]\na = '1'\n", "src/lib.rs": RUST_TEST})
    assert rust.env == {"CARGO_HOME": "/env/cargo"}
    assert found({"Cargo.toml": RUST, "src/lib.rs": RUST_TEST}).env == {}  # no layer, no folder for it


def test_versions_are_named_with_their_file() -> None:
    files = {
        "go.mod": "module m\n\ngo 1.22\n\ntoolchain go1.22.3\n",
        "a_test.go": "",
        ".tool-versions": "nodejs 20.1.0\n",
    }
    toolchain = found(files)
    assert toolchain.versions == {"go": ("1.22", "go.mod")}
    assert "go 1.22 is asked for by go.mod." in toolchain.why
    pinned = found(
        {"Cargo.toml": RUST, "src/lib.rs": RUST_TEST, "rust-toolchain.toml": '[toolchain]\nchannel = "1.75"\n'}
    )
    assert pinned.versions == {"rust": ("1.75", "rust-toolchain.toml")}
